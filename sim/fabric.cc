#include "sim/fabric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/abort_guard.h"
#include "sim/burst.h"

namespace tandem {

// As Engine has SimGrid count it.
Seconds Path::time(std::size_t bytes, double share) const {
  if (bandwidth == std::numeric_limits<double>::infinity()) return latency;
  const double most = 1 / (1 / bandwidth + costs->seconds_per_byte(bytes));
  const Seconds cost = latency > 0 ? costs->latency(bytes) : 0;
  return std::max(0.0, latency + cost) + static_cast<double>(bytes) / std::min(share, most);
}

MessageTime Path::parts(std::size_t bytes) const {
  const Seconds alone = time(bytes);
  const Seconds fixed = latency > 0 ? std::max(0.0, latency + costs->latency(bytes)) - latency : 0;
  return {.latency = latency, .fixed = fixed, .alone = alone};
}

namespace {

void read_figures(const simgrid_compat::Route& route, Path& path) {
  path.latency = route.latency;
  path.bandwidth = simgrid_compat::bandwidth_of(route.links);
}

}  // namespace

const Path& Fabric::path(int source, int destination) {
  const auto key = static_cast<std::uint64_t>(source) << 32 | static_cast<unsigned>(destination);
  const auto known = paths_.find(key);
  if (known == paths_.end()) return paths_.emplace(key, find(source, destination)).first->second;
  if (known->second.may_change)
    read_figures(simgrid_compat::route(hosts_[source], hosts_[destination]), known->second);
  return known->second;
}

Path Fabric::find(int source, int destination) {
  Path path{.bandwidth = std::numeric_limits<double>::infinity(), .costs = &costs()};
  if (hosts_[source] == hosts_[destination]) return path;
  const AbortGuard guard("platform " + engine_.platform().string());
  const simgrid_compat::Route route = engine_.route(*hosts_[source], *hosts_[destination]);
  read_figures(route, path);
  path.links = loads_.numbers_of(route.links);
  for (const simgrid::s4u::Link* link : route.links) {
    if (link->is_shared()) path.shared_links.push_back(link);
    if (burst_of(*link) > 0) path.has_bursts = true;
    if (may_change(*link)) path.may_change = true;
  }
  return path;
}

}  // namespace tandem
