#include "core/strategies/pipeline/stage.h"

#include "core/strategies/pipeline/pass_order.h"

namespace tandem {

std::vector<int> Stage::pipeline() const {
  std::vector<int> ranks(stages);
  for (int s = 0; s < stages; ++s) ranks[s] = replica * stages + s;
  return ranks;
}

std::vector<int> Stage::holders() const {
  std::vector<int> ranks(replicas);
  for (int d = 0; d < replicas; ++d) ranks[d] = d * stages + index;
  return ranks;
}

Stage stage_of(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const int stages = scenario.stages();
  Stage stage{.index = rank % stages,
              .stages = stages,
              .replica = rank / stages,
              .replicas = scenario.workers / stages,
              .layers = partition(graph, stages)[rank % stages],
              .parameters = {}};
  stage.parameters.offset = graph.layers()[stage.layers.first].parameter_offset;
  for (int i = stage.layers.first; i <= stage.layers.last; ++i) {
    stage.parameters.elements += graph.layers()[i].parameter_elements;
  }
  return stage;
}

int most_in_flight(const Scenario& scenario, int stage) {
  return most_in_flight(
      pass_order(scenario.algorithm.schedule, scenario.stages(), stage, scenario.micro_batches()));
}

}  // namespace tandem
