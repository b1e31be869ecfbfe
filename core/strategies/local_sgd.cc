#include "core/strategies/local_sgd.h"

namespace tandem {

LocalSgd::LocalSgd(Replica& replica) : replica_(replica) {
  const auto& outer = replica.scenario.algorithm.outer;
  if (!outer) return;
  const std::size_t elements = replica.graph.parameter_elements();
  const OptimizerSpec nesterov{
      .name = "sgd", .momentum = outer->momentum, .nesterov = outer->momentum > 0};
  outer_.emplace(nesterov, replica.worker, elements);
  agreed_ = replica.worker.allocate(elements, DType::kFloat32);
  copy_weights(replica.worker, agreed_.view(), replica.parameters.view());
}

void LocalSgd::end_iteration() {
  replica_.step_alone();
  if (++steps_ == replica_.scenario.algorithm.local_steps) synchronize();
}

void LocalSgd::finish() {
  if (steps_ > 0) synchronize();
}

void LocalSgd::synchronize() {
  steps_ = 0;
  average_over_workers(replica_, replica_.parameters.view());
  if (outer_) outer_step(replica_.scenario.algorithm.outer->learning_rate);
}

// The outer gradient, agreed - average, takes the place of the average.
void LocalSgd::outer_step(double learning_rate) {
  const View weights = replica_.parameters.view();
  scale_weights(replica_.worker, weights, -1);
  add_weights(replica_.worker, weights, agreed_.view());
  outer_->begin_step(learning_rate);
  outer_->step(replica_.worker, agreed_.view(), weights, 0, 1);
  copy_weights(replica_.worker, weights, agreed_.view());
}

void LocalSgd::visit_state(StateVisitor& visitor) {
  replica_.visit_state(visitor, Holder::kOwn);
  visit_value(visitor, "local_sgd.steps", steps_);
  if (!outer_) return;
  visit_own(visitor, "local_sgd.agreed", agreed_.view());
  outer_->visit_state(visitor, "local_sgd.outer",
                      {Holder::kOwn, {{0, replica_.graph.parameter_elements()}}});
}

}  // namespace tandem
