#include "sim/folding.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/strategies/all_reduce_use.h"
#include "core/strategies/strategy.h"
#include "sim/executors/choose.h"

namespace tandem {
namespace {

/// Why faults leave workers unlike.
std::optional<std::string> asymmetry_of(const FaultsSpec& faults) {
  if (!faults.slow.empty()) return "faults.slow makes workers differ";
  if (faults.compute) return "faults.compute makes workers differ";
  if (!faults.links.empty()) return "faults.links makes links differ";
  if (!faults.traffic.empty()) return "faults.traffic shares the links of some workers";
  return std::nullopt;
}

bool all_do_alike(const CollectiveUse& use, int ranks) {
  const auto part = use.factory(ranks, 0, use.elements);
  for (int k = 0; k < part->rounds();) {
    const Stretch stretch = part->stretch(k, part->rounds() - k);
    if (!stretch.sent_by_all) return false;
    k += stretch.rounds;
  }
  return true;
}

}  // namespace

std::size_t folded_hosts(const Scenario& scenario) {
  constexpr std::size_t kFewest = 3;
  return std::max<std::size_t>(kFewest, 1 + scenario.algorithm.servers());
}

std::optional<std::string> folding_refusal(const Scenario& scenario, const LayerGraph& graph,
                                           const std::optional<FlatCluster>& cluster) {
  const SimulationSpec& simulation = scenario.simulation;
  if (!simulation.fold) return "simulation.fold is false";
  if (simulation.depth == Depth::kPayload) return "every worker computes its own payload";
  if (simulation.executor == ExecutorKind::kExact) return "the executor is exact";
  if (simulation.executor == ExecutorKind::kAuto && scenario.members() <= kExactMembers)
    return fmt::format("auto: at most {} members", kExactMembers);
  if (scenario.chakra) return "traces of every member are asked for";
  if (scenario.workers == 1) return "there is one worker";
  if (const auto asymmetry = asymmetry_of(scenario.faults)) return asymmetry;
  if (!meets_in_collectives(scenario) && !meets_at_servers(scenario))
    return "workers send messages to single others";
  if (!cluster) return "the platform is no single cluster of like hosts";
  if (cluster->hosts() < folded_hosts(scenario))
    return fmt::format("the platform has fewer than {} hosts", folded_hosts(scenario));
  if (needs_network_figures(scenario)) return "collective auto goes by the figures of all pairs";
  if (wants_node_size(scenario)) return "the platform says which workers share a node";
  for (const CollectiveUse& use : collectives_of(scenario, graph)) {
    if (use.ranks > 0) return "not all workers take part in a collective";
    if (!all_do_alike(use, scenario.workers))
      return fmt::format("in a collective of {} elements not all workers do the same",
                         use.elements);
  }
  return std::nullopt;
}

}  // namespace tandem
