#include "sim/placement.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/error.h"
#include "core/platform/ring_order.h"
#include "sim/abort_guard.h"
#include "sim/host_network.h"

namespace tandem {
namespace {

/// The platform's hosts by what they are for, indices into Engine::hosts().
struct Roles {
  std::vector<int> any, servers;
};

Roles roles_of(const Engine& engine) {
  Roles roles;
  for (int i = 0; i < static_cast<int>(engine.hosts().size()); ++i) {
    const char* role = engine.hosts()[i]->get_property("role");
    if (role != nullptr && std::string_view(role) != "server")
      throw InputError(
          fmt::format("platform {}: host {}: property role is '{}', but has to be "
                      "'server', or left out",
                      engine.platform().string(), engine.hosts()[i]->get_cname(), role));
    (role != nullptr ? roles.servers : roles.any).push_back(i);
  }
  return roles;
}

int pick(const Engine& engine, const std::vector<int>& hosts, int wanted, const char* kind) {
  if (wanted < static_cast<int>(hosts.size())) return hosts[wanted];
  throw InputError(fmt::format(
      "platform {}: has {} host{} for {}, but the scenario takes more; use fewer or a larger "
      "platform",
      engine.platform().string(), hosts.size(), hosts.size() == 1 ? "" : "s", kind));
}

}  // namespace

std::vector<int> in_ring_order(const Engine& engine, const std::vector<int>& hosts) {
  SimHostNetwork network(engine, hosts);
  const AbortGuard guard("platform " + engine.platform().string());
  std::vector<int> ordered;
  for (const int index : ring_order(network)) ordered.push_back(hosts[index]);
  return ordered;
}

std::vector<int> member_hosts(const Engine& engine, const Scenario& scenario) {
  const Roles roles = roles_of(engine);
  std::vector<int> hosts = scenario.hosts();
  if (!roles.servers.empty()) {
    const bool dedicated = scenario.algorithm.placement == Placement::kDedicated;
    for (int rank = 0; rank < scenario.members(); ++rank) {
      hosts[rank] = dedicated && rank >= scenario.workers
                        ? pick(engine, roles.servers, rank - scenario.workers, "servers")
                        : pick(engine, roles.any, hosts[rank], "workers");
    }
  }
  engine.place(scenario.members(), hosts);  // there are enough
  const bool is_declared = scenario.simulation.rank_order == RankOrder::kDeclared;
  return is_declared || scenario.algorithm.servers() > 0 ? hosts : in_ring_order(engine, hosts);
}

}  // namespace tandem
