#pragma once

#include <vector>

#include "core/platform/host_network.h"

namespace tandem {

/// The hosts in the order of a ring that crosses each link least: of some orders the one whose most
/// loaded link has the fewest of the ring's messages for its bandwidth, and among these the one
/// whose messages cross the fewest links in all. The orders are the given one, which wins where
/// none is better; that of a depth-first walk through the tree of all routes to host 0, which
/// crosses each link of the tree once each way, as any ring does that has hosts on both sides; and
/// up to kImprovedHosts hosts what 2-opt exchanges (Croes, Operations Research 1958) make of these
/// and of the walk that always goes to the nearest host that is left.
std::vector<int> ring_order(HostNetwork& network);

inline constexpr int kImprovedHosts = 128;

}  // namespace tandem
