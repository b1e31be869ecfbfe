#include "sim/host_network.h"

#include "sim/burst.h"

namespace tandem {

SimHostNetwork::SimHostNetwork(const Engine& engine, const std::vector<int>& hosts)
    : engine_(engine) {
  for (const int host : hosts) hosts_.push_back(engine.hosts().at(host));
}

HostRoute SimHostNetwork::route(int from, int to) {
  const simgrid_compat::Route way = engine_.route_if_any(*hosts_[from], *hosts_[to]);
  HostRoute route{.links = {}, .latency = way.latency};
  for (const simgrid::s4u::Link* link : way.links) route.links.push_back(number_of(*link));
  return route;
}

int SimHostNetwork::number_of(const simgrid::s4u::Link& link) {
  const auto [known, is_new] = numbers_.try_emplace(&link, static_cast<int>(links_.size()));
  if (is_new) {
    own_links_.push_back(&link);
    links_.push_back({.name = link.get_name(),
                      .bandwidth = link.get_bandwidth(),
                      .is_shared = link.is_shared(),
                      .burst = burst_of(link)});
  }
  return known->second;
}

}  // namespace tandem
