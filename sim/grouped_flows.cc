#include "sim/grouped_flows.h"

#include <set>

#include "sim/burst.h"

namespace tandem {
namespace {

using Links = std::set<simgrid::s4u::Link*>;

/// That two members' messages to each other go over.
Links links_between(const Fabric& fabric, int a, int b) {
  Links links;
  for (const auto& [source, destination] : {std::pair{a, b}, std::pair{b, a}}) {
    const auto route = simgrid_compat::route(fabric.host(source), fabric.host(destination));
    links.insert(route.links.begin(), route.links.end());
  }
  return links;
}

}  // namespace

std::optional<std::string> group_flows(Fabric& fabric, int count) {
  if (fabric.path(1, 2).has_bursts) return kBurstRefusal;
  if (!fabric.costs().segments().empty())
    return "the platform's calibration counts what each message costs by its size";
  const Links of_others = links_between(fabric, 1, 2);
  Links wider;
  for (simgrid::s4u::Link* link : links_between(fabric, 0, 1)) {
    if (!of_others.contains(link)) wider.insert(link);
  }
  // A link that does not split its bandwidth bounds each message by itself.
  for (int place = 1; place < fabric.members(); ++place) {
    for (simgrid::s4u::Link* link : links_between(fabric, 0, place)) {
      if (!link->is_shared()) wider.insert(link);
    }
  }
  for (simgrid::s4u::Link* link : wider) link->set_bandwidth(link->get_bandwidth() * count);
  return std::nullopt;
}

}  // namespace tandem
