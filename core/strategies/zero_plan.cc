#include "core/strategies/zero_plan.h"

#include <set>

#include "core/base/square_sum.h"
#include "core/collectives/ring.h"
#include "core/strategies/all_reduce_sgd.h"
#include "core/strategies/layer_groups.h"

namespace tandem {

std::vector<CollectiveUse> zero_collectives(const Scenario& scenario, const LayerGraph& graph) {
  if (scenario.algorithm.stage == 0) return AllReduceSgd::collectives(scenario, graph);
  std::set<std::size_t> sizes;
  for (const LayerGroup& group : layer_groups(scenario, graph, 0)) {
    sizes.insert(group.bucket.elements);
  }
  std::vector<CollectiveUse> uses;
  for (const std::size_t elements : sizes) {
    uses.push_back({ring_reduce_scatter, elements, scenario.precision.dtype()});
    uses.push_back({ring_all_gather, elements, scenario.precision.dtype()});
  }
  if (GradientScale(scenario).needs_norm()) {
    uses.push_back({ring_all_reduce, kSquareSumWords, DType::kInt64});
  }
  if (const std::size_t words = length_words(scenario.optimizer, graph); words > 0) {
    uses.push_back({ring_all_reduce, words, DType::kInt64});
  }
  return uses;
}

Holding zero_holding(const Scenario& scenario, const LayerGraph& graph, int rank) {
  const int stage = scenario.algorithm.stage;
  if (stage == 0) return {.updated = {{0, graph.parameter_elements()}}};
  Holding holding{.all_parameters = stage < 3, .all_gradients = stage < 2, .updated = {}};
  for (const LayerGroup& group : layer_groups(scenario, graph, rank)) {
    holding.updated.push_back(group.own);
  }
  return holding;
}

}  // namespace tandem
