#pragma once

#include <optional>
#include <vector>

#include "core/platform/host_network.h"

namespace tandem {

/// What a message of 1 MiB takes; without end where there is no route.
Seconds message_time(HostNetwork& network, int from, int to);

/// The same from each host but the last to the next.
std::vector<Seconds> neighbour_times(HostNetwork& network);

/// How many consecutive hosts are a node: those between which a message of 1 MiB takes less time
/// than to the next node. Where times differ in several ways, the largest ratio between one and the
/// next larger decides. Nothing where all take the same time, or where nodes would differ in size
/// other than the last, which may be smaller.
std::optional<int> derived_node_size(HostNetwork& network);

/// The size of all nodes but the last, which may be smaller; nothing where they differ. Requires a
/// node.
std::optional<int> common_size(const std::vector<int>& node_sizes);

}  // namespace tandem
