#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/base/paths.h"
#include "core/base/units.h"
#include "core/platform/topology_keys.h"
#include "core/scenario/reader.h"
#include "core/scenario/specs.h"

namespace tandem {
namespace {

constexpr int kMostHosts = 1'000'000;
constexpr double kMostLinks = 1e7;

using Words = std::vector<std::string>;

Words keys_of(const TopologyInfo& info) {
  Words keys = {"topology", "bandwidth", "latency", "device", "speed"};
  keys.insert(keys.end(), info.required.begin(), info.required.end());
  keys.insert(keys.end(), info.optional.begin(), info.optional.end());
  return keys;
}

double read_quantity(const Value& value, const std::string& name, const TopologyKey& key) {
  const bool is_time = key.unit == TopologyUnit::kTime;
  const std::string text = value.kind == Value::Kind::kScalar ? value.scalar : "";
  const auto quantity = is_time ? parse_seconds(text) : parse_bandwidth(text);
  if (quantity && (is_time ? *quantity >= 0 : *quantity > 0)) {
    require_possible(value, name, *quantity, is_time ? "s" : "B/s");
    return *quantity;
  }
  fail(value.where,
       fmt::format("{} is {}, but has to be {} with its unit, such as {}", name, describe(value),
                   is_time ? "a time of at least 0" : "a bandwidth above 0", key.example));
}

std::vector<int> read_counts(const Value& value, const std::string& name, const TopologyKey& key) {
  const bool is_list = value.kind == Value::Kind::kList;
  if (!is_list || value.items.empty())
    fail(value.where, fmt::format("{} is {}, but has to be a list, such as {}", name,
                                  is_list ? "an empty list" : describe(value), key.example));
  std::vector<int> counts;
  for (const Value& item : value.items) counts.push_back(read_int(item, name, 1));
  return counts;
}

std::string read_device(const Value& value, const std::string& name) {
  const std::string device = read_string(value, name);
  try {
    find_device("", device);
  } catch (const InputError& error) {
    fail(value.where, fmt::format("{}: {}", name, error.what()));
  }
  return device;
}

void read_key(const Value& value, const std::string& name, const TopologyKey& key,
              Topology& topology) {
  using T = Topology;
  if (const auto* list = std::get_if<std::vector<int> T::*>(&key.field)) {
    topology.** list = read_counts(value, name, key);
  } else if (const auto* device = std::get_if<std::optional<std::string> T::*>(&key.field)) {
    topology.** device = read_device(value, name);
  } else if (const auto* count = std::get_if<std::optional<int> T::*>(&key.field)) {
    topology.** count = read_member_count(value, name);
  } else {
    const auto field = std::get<std::optional<double> T::*>(key.field);
    topology.*field = key.unit == TopologyUnit::kFactor ? read_positive(value, name)
                                                        : read_quantity(value, name, key);
  }
}

void require_key(const MapReader& map, const std::string& name) {
  map.require(name, std::ranges::find(topology_keys(), name, &TopologyKey::name)->example);
}

/// Of counts that may overflow when multiplied.
std::int64_t capped_hosts(const Topology& topology) {
  std::int64_t hosts = 1;
  const auto times = [&](int factor) {
    hosts = std::min<std::int64_t>(hosts * factor, kMostHosts + 1);
  };
  for (const int factor : topology.children) times(factor);
  for (const int factor : topology.dimensions) times(factor);
  for (const auto& factor : {topology.groups, topology.chassis, topology.routers,
                             topology.hosts_per_router, topology.nodes, topology.gpus})
    times(factor.value_or(1));
  return hosts;
}

/// From hosts and switches of each level to their parents.
double fat_tree_links(const Topology& topology) {
  const std::vector<int> parents = fat_tree_parents(topology);
  double links = 0, nodes = 1;
  for (const int factor : topology.children) nodes *= factor;
  for (std::size_t level = 0; level < topology.children.size(); ++level) {
    links += nodes * parents[level];
    nodes = nodes / topology.children[level] * parents[level];
  }
  return links;
}

/// Between all pairs of routers of a chassis, of chassis of a group, and of groups.
double dragonfly_links(const Topology& topology) {
  const double groups = topology.groups.value_or(1), chassis = topology.chassis.value_or(1),
               routers = topology.routers.value_or(1);
  return groups * chassis * routers * (routers + chassis) / 2 + groups * groups / 2;
}

/// Of those whose links may be many more than their hosts.
double switch_links(const Topology& topology) {
  if (topology.name == "fat_tree") return fat_tree_links(topology);
  return topology.name == "dragonfly" ? dragonfly_links(topology) : 0;
}

void check_arrangement(const Value& value, const Topology& topology) {
  if (capped_hosts(topology) > kMostHosts)
    fail(value.where, fmt::format("platform has more than {} hosts, but at most so many are "
                                  "possible; give fewer",
                                  kMostHosts));
  if (!topology.parents.empty() && topology.parents.size() != topology.children.size())
    fail(value.where,
         fmt::format("platform.parents has {} levels, but platform.children has {}; give as many",
                     topology.parents.size(), topology.children.size()));
  if (const double links = switch_links(topology); links > kMostLinks)
    fail(value.where, fmt::format("platform has about {:.2g} links of switches, but at most {:.0f} "
                                  "are possible; give fewer",
                                  links, kMostLinks));
  if (std::ranges::count(topology.dimensions, 1) > 1)
    fail(value.where, "platform.dimensions has several of 1, which join no hosts; leave them out");
  // SimGrid takes the way to the n-th group from the n-th router of a chassis on.
  if (const int most = topology.routers.value_or(1); topology.groups.value_or(1) > most)
    fail(value.where,
         fmt::format("platform.groups is {}, but a chassis has {} routers, each with the links to "
                     "one other group; give at most {} groups",
                     *topology.groups, most, most));
}

}  // namespace

Topology read_topology(const Value& value) {
  if (const Value* file = value.find("name"))  // --set platform.KEY of a file makes such a map
    fail(value.entries.back().where,
         fmt::format("platform {} is a file, which has its own figures; for figures of yours give "
                     "platform: {{topology: star, bandwidth: 10 Gbit/s, latency: 5 us}}",
                     file->scalar));
  const Value* name = value.find("topology");
  if (name == nullptr)
    fail(value.where,
         fmt::format("platform.topology is missing; give one of {}, or a platform's name or file "
                     "instead of the map",
                     fmt::join(topology_names(), ", ")));
  Topology topology;
  topology.name = read_choice(*name, "topology", topology_names());
  const TopologyInfo& info = topology_info(topology.name);
  const MapReader map(value, "platform", keys_of(info));
  for (const char* key : {"bandwidth", "latency"}) require_key(map, key);
  for (const std::string& key : info.required) require_key(map, key);
  for (const TopologyKey& key : topology_keys()) {
    if (const Value* given = map.find(key.name))
      read_key(*given, map.dotted(key.name), key, topology);
  }
  check_arrangement(value, topology);
  return topology;
}

}  // namespace tandem
