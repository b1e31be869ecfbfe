#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/comm/elementwise.h"
#include "core/model/custom.h"
#include "core/record/recorder.h"
#include "core/strategies/strategy.h"

namespace tandem {

inline constexpr std::uint64_t kModelBytes = 21'840 * 4;  ///< of mnist_cnn

/// What became of a walk().
struct Walked {
  Traffic traffic;
  std::uint64_t peak_bytes = 0;  ///< of the worker's buffers, before the last pull of weights
  std::vector<float> weights;
};

/// Takes a worker's strategy through iterations as the training loop does, without a network:
/// backward sets every gradient to the rank's number plus one. `visit` is called after each layer's
/// pass.
inline Walked walk(const Scenario& scenario, Worker& worker, int iterations,
                   const std::function<void(const Replica&)>& visit = {}) {
  const LayerGraph graph = build_model(scenario.model);
  Replica replica(scenario, graph, worker);
  const std::unique_ptr<Strategy> strategy = make_strategy(replica);
  strategy->begin_leg({.first = 0, .end = iterations});
  const int layers = static_cast<int>(graph.layers().size());
  const auto pass = [&] {
    if (visit) visit(replica);
  };
  for (int i = 0; i < iterations; ++i) {
    replica.begin_step();
    strategy->begin_iteration();
    for (int k = 1; k <= scenario.backward_passes_per_step; ++k) {
      for (int layer = 1; layer < layers; ++layer) {
        strategy->before_forward(layer);
        pass();
        strategy->after_forward(layer);
      }
      for (int layer = layers - 1; layer > 0; --layer) {
        strategy->before_backward(layer);
        const Layer& computed = graph.layers()[layer];
        const View gradients =
            replica.gradients.view().slice(computed.parameter_offset, computed.parameter_elements);
        if (gradients.has_data()) {
          const Buffer numbers = make_host_buffer(gradients.elements, DType::kFloat32);
          std::ranges::fill(numbers.view().floats(), static_cast<float>(worker.group().rank + 1));
          convert(gradients, numbers.view());
        }
        pass();
        strategy->after_backward(layer);
        if (k == scenario.backward_passes_per_step) strategy->gradient_ready(layer);
      }
    }
    strategy->end_iteration();
  }
  Walked result;
  strategy->end_leg();
  result.peak_bytes = worker.memory().peak();
  strategy->finish();
  result.traffic = worker.record().traffic();
  if (replica.weights().has_data()) {
    const auto floats = replica.weights().floats();
    result.weights.assign(floats.begin(), floats.end());
  }
  return result;
}

}  // namespace tandem
