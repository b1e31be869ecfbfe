#include "core/strategies/all_reduce_use.h"

#include <nlohmann/json.hpp>

namespace tandem {

CollectiveUse all_reduce_use(const Scenario& scenario, std::size_t elements, DType dtype) {
  const AlgorithmSpec& algorithm = scenario.algorithm;
  CollectiveChoice choice = {algorithm.collective, "the scenario asks for it"};
  if (needs_network_figures(scenario)) {
    choice = choose_all_reduce(scenario.workers, elements * size_of(dtype), algorithm.options,
                               algorithm.network.value());
  }
  return {.factory = all_reduce(choice.name, algorithm.options, dtype),
          .elements = elements,
          .dtype = dtype,
          .name = choice.name,
          .reason = std::move(choice.reason)};
}

Handle start_collective(Worker& worker, const CollectiveUse& use, View view) {
  const Group& group = worker.group();
  return worker.start(use.factory(group.size, group.rank, use.elements), view);
}

bool needs_network_figures(const Scenario& scenario) {
  return scenario.algorithm.collective == "auto";
}

bool wants_node_size(const Scenario& scenario) {
  return (needs_network_figures(scenario) && !scenario.algorithm.options.node_size) ||
         needs_node_size(scenario);
}

bool needs_node_size(const Scenario& scenario) {
  return scenario.algorithm.collective == "hierarchical" && !scenario.algorithm.options.node_size;
}

nlohmann::json describe(std::span<const CollectiveUse> uses) {
  nlohmann::json all = nlohmann::json::array();
  for (const CollectiveUse& use : uses) {
    all.push_back({{"collective", use.name},
                   {"bytes", use.elements * size_of(use.dtype)},
                   {"reason", use.reason}});
  }
  return all;
}

}  // namespace tandem
