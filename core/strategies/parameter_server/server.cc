#include "core/strategies/parameter_server/server.h"

#include <algorithm>

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

Server::Server(const Scenario& scenario, const LayerGraph& graph, Worker& worker, int pulls,
               const Answers::Options& answers)
    : scenario_(scenario),
      workers_(present_workers(scenario, worker)),
      shard_(scenario, graph, worker),
      reactor_(worker),
      answers_(shard_, reactor_, answers),
      done_(shard_.pieces()),
      gradient_scale_(scenario),
      waiting_(shard_.pieces()),
      pulls_(shard_.pieces(), std::vector<int>(scenario.workers, pulls)) {
  for (int piece = 0; piece < shard_.pieces(); ++piece) {
    optimizers_.emplace_back(scenario.optimizer, worker, shard_.elements(piece));
  }
}

Buffer Server::run(Checkpoints& checkpoints, int iterations) {
  leg_ = serve_legs(*this, shard_.worker(), reactor_, checkpoints, iterations);
  finish(leg_);
  reactor_.run();
  return shard_.take_weights();
}

void Server::expect_updates(const Leg& leg, long updates) {
  leg_ = leg;
  updates_ = std::max(updates, 1L);
  std::ranges::fill(done_, 0);
  clock_.emplace(shard_.worker(), leg.iterations(), updates * shard_.pieces());
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
  const long iteration =
      std::min(leg_.first + done_[piece]++ * leg_.iterations() / updates_, leg_.end - 1L);
  optimizer.begin_step(learning_rate(scenario_, static_cast<int>(iteration)));
  optimizer.step(shard_.worker(), shard_.weights(piece), gradient, 0,
                 gradient_scale_.factor(average));
}

void Server::updated(int piece) {
  if (clock_) clock_->tick();
  answer(piece);
}

void Server::answer(int piece) {
  std::erase_if(waiting_[piece], [&](const Pull& pull) {
    const bool fresh_enough = may_answer(piece, pull.worker, pull.number);
    const int iteration = pull.number * scenario_.algorithm.pull_every;
    if (fresh_enough) answers_.add(pull.worker, piece, iteration);
    return fresh_enough;
  });
}

Buffer serve_parameters(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
                        int iterations, Checkpoints& checkpoints) {
  if (scenario.algorithm.mode == ServerMode::kSynchronous) {
    return SynchronousServer(scenario, graph, worker, checkpoints.first_iteration())
        .run(checkpoints, iterations);
  }
  return AsynchronousServer(scenario, graph, worker, checkpoints.first_iteration())
      .run(checkpoints, iterations);
}

}  // namespace tandem
