#include "core/training/optimizer.h"

#include <algorithm>
#include <array>

#include "core/comm/elementwise.h"

namespace tandem {

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements, DType weights)
    : spec_(spec), rule_(update_rule(spec)) {
  for (int i = 0; i < rule_.states; ++i) {
    state_.push_back(worker.allocate(elements, DType::kFloat32));
  }
  if (weights != DType::kFloat32) master_ = worker.allocate(elements, DType::kFloat32);
}

void Optimizer::begin_step(double learning_rate) {
  ++step_.number;
  step_.learning_rate = learning_rate;
}

void Optimizer::step(Worker& worker, View weights, View gradients, std::size_t state_offset,
                     float scale) {
  assert(step_.number > 0 && weights.elements == gradients.elements);
  const auto elements = static_cast<double>(weights.elements);
  // Reads gradients, reads and writes state and float32 weights, and writes 16-bit ones besides.
  const double states = 2.0 * sizeof(float) * (1 + rule_.states) * elements;
  const double rounded = master_.view().elements > 0 ? static_cast<double>(weights.bytes()) : 0;
  Kernel kernel{.phase = Phase::kUpdate,
                .name = "update",
                .flops = rule_.flops * elements,
                .bytes = static_cast<double>(gradients.bytes()) + states + rounded,
                .body = {}};
  if (weights.has_data()) {
    kernel.body = [=, this] { update(weights, gradients, state_offset, scale); };
  }
  Handle updated = worker.compute(kernel);
  worker.wait(updated);
}

// Block by block, so that 16-bit gradients need little room as float32.
void Optimizer::update(View weights, View gradients, std::size_t state_offset, float scale) {
  constexpr std::size_t kBlock = 4096;
  std::array<float, kBlock> widened;
  for (std::size_t at = 0; at < weights.elements; at += kBlock) {
    const std::size_t count = std::min(kBlock, weights.elements - at);
    const std::size_t state_at = state_offset + at;
    View gradient = gradients.slice(at, count);
    if (gradient.dtype != DType::kFloat32) {
      gradient = {.data = reinterpret_cast<std::byte*>(widened.data()), .elements = count};
      convert(gradient, gradients.slice(at, count));
    }
    const View weight = weights.slice(at, count);
    const bool is_rounded = weight.dtype != DType::kFloat32;
    const View whole = is_rounded ? master_.view().slice(state_at, count) : weight;
    UpdateSlice slice{.weights = whole.floats().data(),
                      .gradient = gradient.floats().data(),
                      .state = {},
                      .elements = count,
                      .scale = scale};
    for (std::size_t i = 0; i < state_.size(); ++i) {
      slice.state[i] = state_[i].view().floats().data() + state_at;
    }
    rule_.apply(spec_, step_, slice);
    if (is_rounded) convert(weight, whole);
  }
}

}  // namespace tandem
