#include "sim/wired_links.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "core/platform/wiring.h"
#include "sim/abort_guard.h"
#include "sim/changing_links.h"
#include "sim/host_network.h"

namespace tandem {

namespace {

std::set<int> taken_hosts(const std::vector<int>& hosts, std::size_t members) {
  std::set<int> taken(hosts.begin(), hosts.end());
  if (hosts.empty())
    for (std::size_t i = 0; i < members; ++i) taken.insert(static_cast<int>(i));
  return taken;
}

}  // namespace

bool has_too_many_hosts(const std::vector<int>& hosts, std::size_t members) {
  return taken_hosts(hosts, members).size() > kMostWiredHosts;
}

std::vector<WiredLink> wired_links(const Engine& engine, const std::vector<int>& hosts,
                                   std::size_t members, const LinkLoads& loads, Seconds end) {
  const std::set<int> taken = taken_hosts(hosts, members);
  if (taken.size() > kMostWiredHosts || taken.size() < 2 || !(end > 0)) return {};
  const std::vector<int> distinct(taken.begin(), taken.end());
  const AbortGuard guard("platform " + engine.platform().string());
  SimHostNetwork network(engine, distinct);
  const Wiring wired = wiring(network, wiring_pairs(network.hosts()));
  const auto name_of = [&](int place) {
    return place < network.hosts() ? engine.hosts()[distinct[place]]->get_name()
                                   : fmt::format("switch {}", place - network.hosts() + 1);
  };
  std::vector<WiredLink> found;
  for (std::size_t i = 0; i < wired.links.size(); ++i) {
    const simgrid::s4u::Link& link = network.link(static_cast<int>(i));
    found.push_back({.name = link.get_name(),
                     .from = name_of(wired.links[i].from),
                     .to = name_of(wired.links[i].to),
                     .bandwidth = {},
                     .bytes = loads.carried(link)});
    if (link.is_shared()) found.back().bandwidth = let_through(link, 0, end) / end;
  }
  return found;
}

}  // namespace tandem
