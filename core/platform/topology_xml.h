#pragma once

#include <string>

#include "core/platform/topology.h"

namespace tandem {

/// The platform as a SimGrid XML file, for `members` that need hosts of their own. Hosts come node
/// by node, rack by rack, switch by switch. Its routes:
///
/// - star: up and down a link of the host's own. cluster, gpu_nodes: besides, between racks or
///   nodes, up and down their uplinks or NICs.
/// - rail_pod: inside a node by its switch; to the same GPU of another node by that rail's switch;
///   to another GPU of another node by the node's switch to the NIC on the other's rail, as NCCL
///   goes ("PXN", NCCL 2.12).
/// - fat_tree, torus, dragonfly: SimGrid's own, of D-mod-k, dimension order and fewest hops.
std::string topology_xml(const Topology& topology, int members);

}  // namespace tandem
