#include "core/training/optimizer.h"

namespace tandem {

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements)
    : spec_(spec), rule_(update_rule(spec)) {
  for (int i = 0; i < rule_.states; ++i) {
    state_.push_back(worker.allocate(elements, DType::kFloat32));
  }
}

void Optimizer::begin_step(double learning_rate) {
  ++step_.number;
  step_.learning_rate = learning_rate;
}

void Optimizer::step(Worker& worker, View weights, View gradients, std::size_t state_offset,
                     float scale) {
  assert(step_.number > 0);
  // Reads weights and gradients and writes weights; reads and writes state.
  const double arrays_touched = 3 + 2 * rule_.states;
  Kernel kernel{.phase = Phase::kUpdate,
                .name = "update",
                .flops = rule_.flops * static_cast<double>(weights.elements),
                .bytes = arrays_touched * static_cast<double>(weights.bytes()),
                .body = {}};
  if (weights.has_data()) {
    kernel.body = [=, this] {
      UpdateSlice slice{.weights = weights.floats().data(),
                        .gradient = gradients.floats().data(),
                        .state = {},
                        .elements = weights.elements,
                        .scale = scale};
      for (std::size_t i = 0; i < state_.size(); ++i) {
        slice.state[i] = state_[i].view().floats().data() + state_offset;
      }
      rule_.apply(spec_, step_, slice);
    };
  }
  Handle updated = worker.compute(kernel);
  worker.wait(updated);
}

}  // namespace tandem
