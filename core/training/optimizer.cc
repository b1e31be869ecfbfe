#include "core/training/optimizer.h"

#include <Eigen/Core>

namespace tandem {
namespace {

using Array = Eigen::Map<Eigen::ArrayXf>;

Array array(View view) {
  return {view.floats().data(), static_cast<Eigen::Index>(view.elements)};
}

}  // namespace

Optimizer::Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements)
    : spec_(spec), velocity_(worker.allocate(spec.momentum != 0 ? elements : 0, DType::kFloat32)) {}

void Optimizer::step(Worker& worker, View parameters, View gradients, std::size_t offset,
                     std::size_t count, float scale) {
  const bool has_momentum = spec_.momentum != 0;
  const View weights = parameters.slice(offset, count);
  const View gradient = gradients.slice(offset, count);
  const View velocity = has_momentum ? velocity_.view().slice(offset, count) : View{};
  // Reads weights and gradients and writes weights; momentum is read and written besides.
  const double arrays_touched = has_momentum ? 5 : 3;
  Kernel kernel{.phase = Phase::kUpdate,
                .name = "update",
                .flops = 6.0 * static_cast<double>(count),
                .bytes = arrays_touched * static_cast<double>(weights.bytes()),
                .body = {}};
  if (weights.has_data()) {
    kernel.body = [this, weights, gradient, velocity, scale] {
      Array w = array(weights);
      Array g = array(gradient);
      const auto rate = static_cast<float>(spec_.learning_rate);
      const auto decay = static_cast<float>(spec_.weight_decay);
      if (!velocity.has_data()) {
        w -= rate * (scale * g + decay * w);
        return;
      }
      Array v = array(velocity);
      v = static_cast<float>(spec_.momentum) * v + (scale * g + decay * w);
      w -= rate * v;
    };
  }
  Handle updated = worker.compute(kernel);
  worker.wait(updated);
}

}  // namespace tandem
