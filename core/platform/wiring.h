#pragma once

#include <utility>
#include <vector>

#include "core/platform/host_network.h"

namespace tandem {

/// How links hang together. Ends below HostNetwork::hosts() are those hosts; the others are places
/// where links meet, such as switches.
struct Wiring {
  struct Link {
    int from = 0, to = 0;  ///< the same: a bus, which all that comes together there crosses
  };
  std::vector<Link> links;  ///< by HostNetwork::links()
  int meeting_places = 0;
};

/// The pairs of hosts whose routes tell it: all of them, or of more than kMostWiredInFull hosts of
/// each those to its neighbours and to some at random, which are the same every time.
std::vector<std::pair<int, int>> wiring_pairs(int hosts);
inline constexpr int kMostWiredInFull = 128;

/// What these routes say, for a route says no more than a list of links: where one link follows
/// another, the end of one is the begin of the other, which may be crossed the other way round
/// too. Where some enter a link at its host, others that enter it from elsewhere are not shown.
Wiring wiring(HostNetwork& network, const std::vector<std::pair<int, int>>& pairs);

}  // namespace tandem
