#include "core/platform/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <variant>

#include "core/platform/topology_keys.h"

namespace tandem {
namespace {

using nlohmann::json;

int product(const std::vector<int>& factors) {
  return std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>());
}

std::string bandwidth_text(double bytes_per_s) {
  return fmt::format("{:.6g} Gbit/s", bytes_per_s * 8 / 1e9);
}

/// As people write it.
std::string text_of(const TopologyKey& key, double value) {
  if (key.unit == TopologyUnit::kBandwidth) return bandwidth_text(value);
  if (key.unit == TopologyUnit::kTime) return fmt::format("{:.6g} us", value * 1e6);
  return fmt::format("{:.6g}", value);
}
std::string text_of(const TopologyKey&, int value) {
  return std::to_string(value);
}
std::string text_of(const TopologyKey&, const std::string& value) {
  return value;
}

/// To the last bit.
json json_of(const TopologyKey& key, double value) {
  if (key.unit == TopologyUnit::kBandwidth) return fmt::format("{} B/s", value);
  if (key.unit == TopologyUnit::kTime) return fmt::format("{} s", value);
  return value;
}
json json_of(const TopologyKey&, const auto& value) {
  return value;
}

/// Calls visit(key, value) for every key that is given.
template <typename Visit>
void visit_given(const Topology& topology, const Visit& visit) {
  for (const TopologyKey& key : topology_keys()) {
    std::visit(
        [&](auto field) {
          const auto& value = topology.*field;
          if constexpr (std::is_same_v<decltype(value), const std::vector<int>&>) {
            if (!value.empty()) visit(key, value);
          } else {
            if (value) visit(key, *value);
          }
        },
        key.field);
  }
}

}  // namespace

const std::vector<TopologyKey>& topology_keys() {
  using enum TopologyUnit;
  using T = Topology;
  static const std::vector<TopologyKey> kKeys = {
      {"bandwidth", kBandwidth, &T::bandwidth, "10 Gbit/s"},
      {"latency", kTime, &T::latency, "5 us"},
      {"device", kDevice, &T::device, "v100"},
      {"speed", kFactor, &T::speed, "0.5"},
      {"hosts", kCount, &T::hosts, "16"},
      {"rack_size", kCount, &T::rack_size, "8"},
      {"uplink_bandwidth", kBandwidth, &T::uplink_bandwidth, "40 Gbit/s"},
      {"uplink_latency", kTime, &T::uplink_latency, "5 us"},
      {"children", kCounts, &T::children, "[8, 4]"},
      {"parents", kCounts, &T::parents, "[1, 4]"},
      {"dimensions", kCounts, &T::dimensions, "[4, 4, 4]"},
      {"groups", kCount, &T::groups, "4"},
      {"chassis", kCount, &T::chassis, "2"},
      {"routers", kCount, &T::routers, "4"},
      {"hosts_per_router", kCount, &T::hosts_per_router, "2"},
      {"nodes", kCount, &T::nodes, "4"},
      {"gpus", kCount, &T::gpus, "8"},
      {"node_bandwidth", kBandwidth, &T::node_bandwidth, "300 GB/s"},
      {"node_latency", kTime, &T::node_latency, "1 us"},
  };
  return kKeys;
}

const std::vector<TopologyInfo>& known_topologies() {
  static const std::vector<TopologyInfo> kTopologies = {
      {"star", "hosts on one switch that limits nobody", {}, {"hosts"}},
      {"cluster",
       "racks of hosts, each with an uplink that its hosts share",
       {"rack_size", "uplink_bandwidth"},
       {"uplink_latency", "hosts"}},
      {"fat_tree", "levels of switches, each with several parents", {"children"}, {"parents"}},
      {"torus", "a grid whose ends are joined, a host at each point", {"dimensions"}, {}},
      {"dragonfly",
       "groups of routers that are joined all to all",
       {"groups", "routers"},
       {"chassis", "hosts_per_router"}},
      {"gpu_nodes",
       "nodes of GPUs on a switch inside, which share a NIC",
       {"gpus", "node_bandwidth", "node_latency"},
       {"nodes"}},
      {"rail_pod",
       "nodes of GPUs with a NIC each, a switch for each rail",
       {"gpus", "node_bandwidth", "node_latency"},
       {"nodes"}},
  };
  return kTopologies;
}

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const TopologyInfo& info : known_topologies()) names.push_back(info.name);
  return names;
}

const TopologyInfo& topology_info(const std::string& name) {
  return *std::ranges::find(known_topologies(), name, &TopologyInfo::name);
}

int host_count(const Topology& topology, int members) {
  if (topology.name == "fat_tree") return product(topology.children);
  if (topology.name == "torus") return product(topology.dimensions);
  if (topology.name == "dragonfly")
    return topology.groups.value() * topology.chassis.value_or(1) * topology.routers.value() *
           topology.hosts_per_router.value_or(1);
  if (!topology.gpus) return topology.hosts.value_or(members);
  const int gpus = *topology.gpus;
  return topology.nodes.value_or((members + gpus - 1) / gpus) * gpus;
}

std::vector<int> fat_tree_parents(const Topology& topology) {
  if (!topology.parents.empty()) return topology.parents;
  std::vector<int> parents = topology.children;
  parents.insert(parents.begin(), 1);
  parents.pop_back();
  return parents;
}

std::vector<TopologyParts> topology_parts(const Topology& topology) {
  const double bandwidth = topology.bandwidth.value();
  if (topology.name == "cluster")
    return {{"hosts", 1, bandwidth},
            {"racks", topology.rack_size.value(), topology.uplink_bandwidth.value()}};
  if (topology.name == "gpu_nodes")
    return {{"GPUs", 1, topology.node_bandwidth.value()}, {"nodes", *topology.gpus, bandwidth}};
  if (topology.name == "rail_pod")
    return {{"GPUs", 1, topology.node_bandwidth.value() + bandwidth},
            {"nodes", *topology.gpus, *topology.gpus * bandwidth}};
  if (topology.name == "torus") {
    double ways = 0;  // two neighbours in each dimension
    for (const int size : topology.dimensions) ways += std::min(size, 3) - 1;
    return {{"hosts", 1, ways * bandwidth}};
  }
  if (topology.name != "fat_tree") return {{"hosts", 1, bandwidth}};
  std::vector<TopologyParts> levels;
  const std::vector<int> parents = fat_tree_parents(topology);
  int hosts = 1, links = 1;
  for (std::size_t level = 0; level < parents.size(); ++level) {
    links *= parents[level];
    // All messages to a host come down by one of them.
    const int used = std::min(links, hosts);
    const std::string name =
        level == 0 ? "hosts" : fmt::format("groups of {} hosts of the fat tree", hosts);
    levels.push_back({name, hosts, used * bandwidth});
    hosts *= topology.children[level];
  }
  return levels;
}

std::string label(const Topology& topology) {
  std::string label = topology.name;
  visit_given(topology, [&](const TopologyKey& key, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::vector<int>&>) {
      label += fmt::format(" {}={}", key.name, fmt::join(value, "x"));
    } else {
      label += fmt::format(" {}={}", key.name, text_of(key, value));
    }
  });
  return label;
}

json to_json(const Topology& topology) {
  json map = {{"topology", topology.name}};
  visit_given(topology, [&](const TopologyKey& key, const auto& value) {
    map[key.name] = json_of(key, value);
  });
  return map;
}

}  // namespace tandem
