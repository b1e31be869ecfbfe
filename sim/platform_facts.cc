#include "sim/platform_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/platform/node_size.h"
#include "core/strategies/all_reduce_use.h"
#include "sim/abort_guard.h"
#include "sim/flat_cluster.h"
#include "sim/host_network.h"
#include "sim/placement.h"

namespace tandem {
namespace {

/// A link that is sometimes wider than the platform says.
bool widens_at_times(const LinkFaultSpec& fault) {
  return fault.window.changes() && fault.bandwidth_factor > 1;
}

/// Whether these hosts share a node of the platform, which only its other hosts tell.
bool share_a_node(const Engine& engine, const std::vector<int>& hosts) try {
  std::vector<int> all(engine.hosts().size());
  std::iota(all.begin(), all.end(), 0);
  all = in_ring_order(engine, all);
  SimHostNetwork network(engine, all);
  const std::optional<int> size = derived_node_size(network);
  if (!size) return false;
  const auto node_of = [&](int host) {
    return (std::ranges::find(all, host) - all.begin()) / *size;
  };
  return std::ranges::all_of(hosts,
                             [&](int host) { return node_of(host) == node_of(hosts.front()); });
} catch (const InputError&) {
  return false;  // as where two that nobody asked for have no route
}

}  // namespace

void require_routes(const Engine& engine, const std::vector<int>& hosts, const Scenario& scenario) {
  const AbortGuard guard("platform " + engine.platform().string());
  const int servers = scenario.algorithm.servers();
  const auto require_route = [&](int from, int to) {
    if (from != to) engine.route(*engine.hosts()[from], *engine.hosts()[to]);
  };
  for (int worker = 0; worker < scenario.workers; ++worker) {
    for (int server = 0; server < servers; ++server) {
      require_route(hosts[worker], hosts[scenario.workers + server]);
      require_route(hosts[scenario.workers + server], hosts[worker]);
    }
    if (servers == 0) require_route(hosts[worker], hosts[(worker + 1) % scenario.workers]);
  }
}

void derive_node_size(const Engine& engine, const std::vector<int>& hosts, Scenario& scenario) {
  if (!wants_node_size(scenario)) return;
  const std::vector<int> workers(hosts.begin(), hosts.begin() + scenario.workers);
  SimHostNetwork network(engine, workers);
  const AbortGuard guard("platform " + engine.platform().string());
  std::optional<int>& node_size = scenario.algorithm.options.node_size;
  node_size = derived_node_size(network);
  if (node_size || !needs_node_size(scenario)) return;
  if (!share_a_node(engine, workers))
    throw InputError(fmt::format(
        "platform {}: has no nodes of one size among the {} workers' hosts, which hierarchical "
        "needs; give algorithm.node_size, the workers of a node, or another collective",
        engine.platform().string(), scenario.workers));
  node_size = scenario.workers;
}

std::optional<AllReduceBound> all_reduce_bound(const Engine& engine, const std::vector<int>& hosts,
                                               const Scenario& scenario, bool are_alike) {
  constexpr int kFew = 3;
  const int workers = scenario.workers;
  const bool are_many = workers > kMostBoundedHosts && !are_alike;
  // What describes it knows nothing of single links.
  const bool is_as_described = scenario.topology && scenario.faults.links.empty();
  if (workers < 2 || (are_many && !is_as_described)) return std::nullopt;
  if (changes_in_time(engine.xml()) || std::ranges::any_of(scenario.faults.links, widens_at_times))
    return std::nullopt;
  if (engine.calibration().does_collectives_in_memory()) return std::nullopt;  // over no link
  const AbortGuard guard("platform " + engine.platform().string());
  const auto known = [](AllReduceBound bound) {
    return bound.is_known() ? std::optional(std::move(bound)) : std::nullopt;
  };
  if (are_alike && workers > kFew) {
    SimHostNetwork few(engine, {0, 1, 2});
    return known(AllReduceBound::of_alike(few, workers));
  }
  if (are_many)
    return known(AllReduceBound::of_topology(*scenario.topology, workers,
                                             scenario.simulation.bandwidth_factor));
  // Whatever the ranks' order: next to each other are hosts of a node.
  SimHostNetwork network(engine, in_ring_order(engine, {hosts.begin(), hosts.begin() + workers}));
  return known(AllReduceBound(network));
}

}  // namespace tandem
