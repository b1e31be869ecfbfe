#include "core/strategies/parameter_server/worker.h"

#include <cstring>

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/strategies/parameter_server/shard.h"

namespace tandem {

ParameterServerWorker::ParameterServerWorker(Replica& replica)
    : replica_(replica),
      algorithm_(replica.scenario.algorithm),
      pieces_(cut_into_pieces(replica.graph, algorithm_)),
      accrued_(replica.worker.allocate(
          algorithm_.push_every > 1 ? replica.graph.parameter_elements() : 0, DType::kFloat32)),
      pulls_(pieces_.size()) {}

void ParameterServerWorker::begin_leg(const Leg& leg) {
  leg_ = leg;
  iteration_ = leg.first;
  accrued_iterations_ = iteration_ % algorithm_.push_every;
}

void ParameterServerWorker::begin_iteration() {
  if (iteration_ % algorithm_.pull_every != 0) return;
  if (!has_pulled_ahead_) {
    if (algorithm_.asks()) ask();
    pull_all();
  }
  if (!algorithm_.overlap || !algorithm_.pull_overlap) wait_all(replica_.worker, pulls_);
}

void ParameterServerWorker::ask() {
  for (int server = 0; server < algorithm_.servers(); ++server) {
    sends_.push_back(replica_.worker.send(replica_.scenario.workers + server, kAskTag, View{}));
  }
}

void ParameterServerWorker::pull_all() {
  for (std::size_t i = pieces_.size(); i-- > 0;) pull(i);
}

void ParameterServerWorker::pull(std::size_t index) {
  const Piece& piece = pieces_[index];
  pulls_[index] = replica_.worker.receive(replica_.scenario.workers + piece.server, pull_tag(index),
                                          slice(replica_.parameters, piece));
}

void ParameterServerWorker::before_forward(int layer) {
  for (std::size_t i = pieces_.size(); i-- > 0 && pieces_[i].last_layer <= layer;) {
    replica_.worker.wait(pulls_[i]);
  }
}

void ParameterServerWorker::gradient_ready(int layer) {
  if (algorithm_.overlap) push_through(layer);
}

void ParameterServerWorker::push_through(int layer) {
  const bool pushes = (iteration_ + 1) % algorithm_.push_every == 0;
  for (; next_ < pieces_.size() && pieces_[next_].last_layer >= layer; ++next_) {
    if (algorithm_.push_every > 1) accrue(pieces_[next_]);
    if (pushes) push(next_);
  }
}

void ParameterServerWorker::accrue(const Piece& piece) {
  const View sum = slice(accrued_, piece);
  const View gradient = slice(replica_.gradients, piece);
  const bool first = accrued_iterations_ == 0;
  compute_over(replica_.worker, "accrue gradients", sum, first ? 2 : 3, [=] {
    if (!first) return add(sum, gradient);
    std::memcpy(sum.on_host(Access::kOverwrite).data, gradient.on_host(Access::kRead).data,
                sum.bytes());
  });
}

// Backward is done with the weights that a piece's gradients belong to, so that the next ones may
// replace them.
void ParameterServerWorker::push(std::size_t index) {
  const Buffer& gradients = algorithm_.push_every > 1 ? accrued_ : replica_.gradients;
  const int server = replica_.scenario.workers + pieces_[index].server;
  const View gradient = slice(gradients, pieces_[index]);
  sends_.push_back(algorithm_.priority
                       ? replica_.worker.send_in_turn(server, push_tag(index), gradient)
                       : replica_.worker.send(server, push_tag(index), gradient));
  if (pulls_ahead()) pull(index);
}

// Not in the last iteration, after which finish() pulls, nor before an evaluation or a checkpoint,
// so that a pull is always part of an iteration.
bool ParameterServerWorker::pulls_ahead() const {
  const int done = iteration_ + 1;
  const auto& every = replica_.scenario.evaluate_every;
  return algorithm_.pulls_early() && done < leg_.end && !(every && done % *every == 0);
}

void ParameterServerWorker::end_iteration() {
  push_through(0);
  next_ = 0;
  wait_all(replica_.worker, sends_);
  sends_.clear();
  has_pulled_ahead_ = pulls_ahead();
  ++iteration_;
  accrued_iterations_ = iteration_ % algorithm_.push_every;
  if (iteration_ % algorithm_.pull_every != 0) {
    replica_.update(0, replica_.graph.parameter_elements(), 1);
  }
}

void ParameterServerWorker::finish() {
  if (accrued_iterations_ > 0) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) push(i);
  }
  pull_all();
  // Slower workers may take long; the servers, who wait for them, notice where one is stuck.
  replica_.worker.set_patience(kForever);
  wait_all(replica_.worker, sends_);
  wait_all(replica_.worker, pulls_);
}

void ParameterServerWorker::visit_state(StateVisitor& visitor) {
  if (algorithm_.pull_every > 1) replica_.visit_state(visitor, Holder::kOwn);
  if (algorithm_.push_every > 1) visit_own(visitor, "accrued", accrued_.view());
}

Holding parameter_server_holding(const Scenario& scenario, const LayerGraph& graph, int) {
  if (scenario.algorithm.pull_every == 1) return {};
  return {.updated = {{0, graph.parameter_elements()}}};
}

bool waits_for_all_workers(const Scenario& scenario) {
  const AlgorithmSpec& algorithm = scenario.algorithm;
  return algorithm.mode == ServerMode::kSynchronous && algorithm.backup_workers == 0;
}

}  // namespace tandem
