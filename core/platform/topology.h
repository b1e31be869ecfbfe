#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// A platform that a scenario describes instead of naming a file: a kind of network and its
/// figures. What is empty was not given; topology_keys() says what each kind needs. Bandwidths are
/// bytes/s each way, latencies seconds, both of one link.
struct Topology {
  std::string name;  ///< one of topology_names()
  std::optional<double> bandwidth, latency;
  std::optional<std::string> device;  ///< of every host; none: the scenario's
  std::optional<double> speed;        ///< of every device; 1
  std::optional<int> hosts;           ///< star, cluster; none: as many as there are members
  // cluster
  std::optional<int> rack_size;
  std::optional<double> uplink_bandwidth, uplink_latency;  ///< of a rack; latency: as the hosts'
  // fat_tree: an XGFT (Ohring et al., IPPS 1995), from the hosts up
  std::vector<int> children;  ///< of a switch of each level
  std::vector<int> parents;   ///< of a host, and a switch, of each; empty: full bisection bandwidth
  // torus
  std::vector<int> dimensions;
  // dragonfly (Kim et al., ISCA 2008), as Cray's: groups of chassis of routers
  std::optional<int> groups, chassis, routers, hosts_per_router;  ///< the last three: 1
  // gpu_nodes, rail_pod
  std::optional<int> nodes;                            ///< none: as many as the members fill
  std::optional<int> gpus;                             ///< a node
  std::optional<double> node_bandwidth, node_latency;  ///< between a GPU and its node's switch
};

/// The kinds, with a line on each for `tandem list`.
struct TopologyInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> required;
  std::vector<std::string> optional;
};

const std::vector<TopologyInfo>& known_topologies();
std::vector<std::string> topology_names();
/// Requires one of topology_names().
const TopologyInfo& topology_info(const std::string& name);

/// Hosts that it has, where `members` need hosts of their own.
int host_count(const Topology& topology, int members);

/// Of a fat_tree those that are given, or as many links up as down.
std::vector<int> fat_tree_parents(const Topology& topology);

/// Hosts next to each other, of which a platform has many groups of the same size, and what joins
/// each to the others.
struct TopologyParts {
  std::string name;  ///< "hosts", "racks"
  int hosts = 1;     ///< of each
  double bandwidth =
      0;  ///< of all links by which messages leave one, and as much by which they come
};

/// From single hosts up. Those whose links can limit what all hosts send each other: a torus'
/// slices and a dragonfly's groups have more links than their hosts fill.
std::vector<TopologyParts> topology_parts(const Topology& topology);

/// What results call it: "fat_tree bandwidth=10 Gbit/s latency=5 us children=4x4".
std::string label(const Topology& topology);

/// The map that a scenario would have, under `platform`.
nlohmann::json to_json(const Topology& topology);

}  // namespace tandem
