#include "core/strategies/memory_use.h"

#include <algorithm>

#include "core/base/square_sum.h"
#include "core/strategies/layer_groups.h"
#include "core/strategies/pipeline/stage.h"
#include "core/strategies/strategy.h"

namespace tandem {
namespace {

/// Elements of other ranks' chunks that ZeRO holds at most at once, parameters and gradients
/// together. In forward they are of the groups that are gathered and being gathered. In backward
/// there are besides the gradients being computed, with overlap those being reduced, and where they
/// are accumulated over passes all that are still to be reduced.
std::size_t most_remote_elements(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const AlgorithmSpec& spec = scenario.algorithm;
  const std::vector<LayerGroup> groups = layer_groups(scenario, graph, rank);
  const int count = static_cast<int>(groups.size());
  const auto remote = [&](int first, int last) {
    std::size_t elements = 0;
    for (int i = std::max(first, 0); i <= std::min(last, count - 1); ++i) {
      elements += groups[i].bucket.elements - groups[i].own.elements;
    }
    return elements;
  };
  const bool accumulates = scenario.backward_passes_per_step > 1;
  const int ahead = std::min(spec.groups_ahead(), count);
  std::size_t most = 0;
  for (int i = 0; i < count; ++i) {
    std::size_t forward = 0, backward = 0;
    if (spec.stage == 3) {
      forward += remote(i - ahead, i);
      backward += remote(i, i + ahead);
    }
    if (spec.stage >= 2) {
      if (accumulates) forward += remote(0, count - 1);
      backward += remote(spec.overlap ? i - 1 : i, accumulates ? count - 1 : i);
    }
    most = std::max({most, forward, backward});
  }
  return most;
}

double reduction_bytes(const Scenario& scenario, const LayerGraph& graph) {
  if (scenario.workers == 1) return 0;
  std::size_t largest = 0;
  for (const CollectiveUse& use : collectives_of(scenario, graph)) {
    const int ranks = use.ranks > 0 ? use.ranks : scenario.workers;
    largest = std::max(largest, chunk(use.elements, ranks, 0).elements * size_of(use.dtype));
  }
  return static_cast<double>(largest);
}

StateBytes state_bytes(const Scenario& scenario) {
  const auto number = static_cast<double>(size_of(scenario.precision.dtype()));
  const bool has_master = scenario.precision.dtype() != DType::kFloat32;
  return {number, number, 4.0 * update_rule(scenario.optimizer).states + (has_master ? 4.0 : 0.0)};
}

/// Of a pipeline's stage: the activations of all micro-batches that are in flight, and room for the
/// tensors that come in and go out with the gradients by them.
void add_stage(MemoryUse& use, const Scenario& scenario, const LayerGraph& graph, int rank) {
  const Stage stage = stage_of(scenario, graph, rank);
  const int in_flight = most_in_flight(scenario, stage.index);
  const int batch_size = scenario.pass_batch_size();
  std::size_t boundary = 0;
  if (!stage.is_first()) boundary += graph.layers()[stage.layers.first - 1].output.elements();
  if (!stage.is_last()) boundary += graph.layers()[stage.layers.last].output.elements();
  use.working += 2.0 * sizeof(float) * in_flight * batch_size * static_cast<double>(boundary);
  use.activations =
      activation_bytes(graph.stage(stage.layers.first, stage.layers.last), batch_size, in_flight);
}

}  // namespace

MemoryUse predict_memory(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const Holding holding = holding_of(scenario, graph, rank);
  const StateBytes bytes = state_bytes(scenario);
  const auto all = static_cast<double>(graph.parameter_elements());
  const auto shard = static_cast<double>(holding.updated_elements());
  MemoryUse use{.parameters = bytes.parameter * (holding.all_parameters ? all : shard),
                .gradients = bytes.gradient * (holding.all_gradients ? all : shard),
                .optimizer_state = bytes.optimizer * shard,
                .working = kSquareSumWords * sizeof(std::int64_t),
                .activations = activation_bytes(graph, scenario.batch_size),
                .buffers = reduction_bytes(scenario, graph)};
  if (scenario.algorithm.name == "zero") {
    use.working +=
        bytes.parameter * static_cast<double>(most_remote_elements(scenario, graph, rank));
  }
  if (scenario.algorithm.name == "pipeline") {
    add_stage(use, scenario, graph, rank);
  } else if (scenario.backward_passes_per_step > 1) {
    use.working += sizeof(float) * all;  // gradients of one pass
  }
  return use;
}

WorkerMemory::WorkerMemory(const Scenario& scenario, const LayerGraph& graph) {
  for (int rank = 0; rank < scenario.stages(); ++rank) {
    stages_.push_back(predict_memory(scenario, graph, rank));
  }
}

}  // namespace tandem
