#include "sim/server_bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tandem {
namespace {

/// Of the links by which the hosts of places [first, last) reach the others, in all.
double bandwidth_of(const Hosts& hosts, const Places& places, int first, int last) {
  std::map<const simgrid::s4u::Link*, int> links;  // and how many of each there are
  for (int place = first; place < last; ++place) {
    const auto other =
        std::ranges::find_if(hosts, [&](auto* host) { return host != hosts[place]; });
    if (other == hosts.end()) continue;
    const simgrid_compat::Route route = simgrid_compat::route(hosts[place], *other);
    if (!route.links.empty())
      links.emplace(route.links.front(), places.stands_for(places.rank(place)));
  }
  double sum = 0;
  for (const auto& [link, count] : links) sum += count * link->get_bandwidth();
  return sum;
}

std::string plural(int count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? " has" : "s have");
}

}  // namespace

std::optional<std::string> server_bandwidth_warning(const Scenario& scenario, const Hosts& hosts,
                                                    const Places& places) {
  const int servers = scenario.algorithm.servers();
  if (servers == 0) return std::nullopt;
  const int first_server = places.place(scenario.workers);
  const double of_workers = bandwidth_of(hosts, places, 0, first_server);
  const double of_servers = bandwidth_of(hosts, places, first_server, places.count());
  if (of_servers >= of_workers) return std::nullopt;
  constexpr double kMegabyte = 1e6;
  return fmt::format(
      "the {} {:g} MB/s of bandwidth in all, less than the {:g} MB/s of the {}: it may be the "
      "servers' links that the workers wait for; algorithm.servers: {} would match them",
      plural(servers, "server"), of_servers / kMegabyte, of_workers / kMegabyte,
      scenario.workers == 1 ? "worker" : fmt::format("{} workers", scenario.workers),
      static_cast<int>(std::ceil(of_workers / of_servers * servers)));
}

}  // namespace tandem
