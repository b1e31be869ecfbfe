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

std::vector<Stage> stages_of(const Scenario& scenario, const LayerGraph& graph) {
  std::vector<Stage> stages;
  for (const LayerRange& layers : partition(graph, scenario.stages())) {
    Stage stage{.index = static_cast<int>(stages.size()),
                .stages = scenario.stages(),
                .replica = 0,
                .replicas = scenario.workers / scenario.stages(),
                .layers = layers,
                .parameters = {graph.layers()[layers.first].parameter_offset, 0}};
    for (int i = layers.first; i <= layers.last; ++i) {
      stage.parameters.elements += graph.layers()[i].parameter_elements;
    }
    stages.push_back(stage);
  }
  return stages;
}

Stage stage_of(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const int stages = scenario.stages();
  Stage stage = stages_of(scenario, graph)[rank % stages];
  stage.replica = rank / stages;
  return stage;
}

int most_in_flight(const Scenario& scenario, int stage) {
  return most_in_flight(
      pass_order(scenario.algorithm.schedule, scenario.stages(), stage, scenario.micro_batches()));
}

}  // namespace tandem
