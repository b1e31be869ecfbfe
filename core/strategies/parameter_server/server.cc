#include "core/strategies/parameter_server/server.h"

#include "core/strategies/parameter_server/asynchronous_server.h"
#include "core/strategies/parameter_server/synchronous_server.h"
#include "core/training/learning_rate.h"

namespace tandem {

namespace {

std::vector<int> present_workers(const Scenario& scenario, const Worker& server) {
  std::vector<int> workers;
  for (int rank = 0; rank < scenario.workers; ++rank) {
    if (server.stands_for(rank) > 0) workers.push_back(rank);
  }
  return workers;
}

}  // namespace

Server::Server(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
               const Options& options)
    : scenario_(scenario),
      iterations_(options.iterations),
      workers_(present_workers(scenario, worker)),
      shard_(scenario, graph, worker),
      reactor_(worker),
      answers_(shard_, reactor_, options.answers),
      updates_(options.updates),
      gradient_scale_(scenario),
      waiting_(shard_.pieces()),
      pulls_(shard_.pieces(), std::vector<int>(scenario.workers, options.first_iteration)),
      clock_(worker, options.iterations - options.first_iteration,
             (options.updates - options.first_iteration) * shard_.pieces()) {
  for (int piece = 0; piece < shard_.pieces(); ++piece) {
    optimizers_.emplace_back(scenario.optimizer, worker, shard_.elements(piece));
  }
}

void Server::visit_state(StateVisitor& visitor) {
  for (int piece = 0; piece < shard_.pieces(); ++piece) {
    const ArenaPlace place{Holder::kShard, {shard_.place(piece)}};
    visitor.arena("parameters", shard_.weights(piece), place);
    optimizers_[piece].visit_state(visitor, "optimizer", place);
  }
}

// Front layers are asked for first.
void Server::asked(int worker) {
  for (int piece = shard_.pieces(); piece-- > 0;) asked(worker, piece);
}

void Server::asked(int worker, int piece) {
  waiting_[piece].push_back({worker, pulls_[piece][worker]++});
  answer(piece);
}

// Where every gradient is a step, many steps are of one iteration, whose learning rate they take.
void Server::update(int piece, View gradient, float average) {
  Optimizer& optimizer = optimizers_[piece];
  const long iteration = static_cast<long>(optimizer.steps()) * iterations_ / updates_;
  optimizer.begin_step(learning_rate(scenario_, static_cast<int>(iteration)));
  optimizer.step(shard_.worker(), shard_.weights(piece), gradient, 0,
                 gradient_scale_.factor(average));
}

void Server::updated(int piece) {
  clock_.tick();
  answer(piece);
}

void Server::answer(int piece) {
  std::erase_if(waiting_[piece], [&](const Pull& pull) {
    const bool fresh_enough = may_answer(piece, pull.worker, pull.number);
    if (fresh_enough) answers_.add(pull.worker, piece);
    return fresh_enough;
  });
}

Buffer serve_parameters(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                        int iterations, Checkpoints& checkpoints) {
  if (scenario.algorithm.mode == ServerMode::kSynchronous) {
    return SynchronousServer(scenario, graph, worker, iterations, checkpoints).run();
  }
  return AsynchronousServer(scenario, graph, worker, iterations).run();
}

}  // namespace tandem
