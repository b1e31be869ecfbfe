#include "sim/cast.h"

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/platform/topology_xml.h"
#include "core/strategies/all_reduce_use.h"
#include "sim/faults/slow_members.h"
#include "sim/network_figures.h"
#include "sim/placement.h"

namespace tandem {
namespace {

using Hosts = std::vector<simgrid::s4u::Host*>;

/// Of the members that are in a segment, where they are in the whole job.
std::vector<int> hosts_in(const Engine& engine, const Scenario& scenario, const Segment& segment) {
  const std::vector<int> all = member_hosts(engine, whole_job(scenario, segment));
  std::vector<int> hosts;
  for (const int rank : original_ranks(scenario, segment)) hosts.push_back(all[rank]);
  const bool shares = scenario.algorithm.placement == Placement::kWorkers;
  for (int rank = scenario.workers; shares && rank < scenario.members(); ++rank)
    hosts[rank] = hosts[(rank - scenario.workers) % scenario.workers];
  return hosts;
}

}  // namespace

int hosts_of(const Scenario& scenario) {
  return std::ranges::max(scenario.hosts()) + 1;
}

BuiltPlatform platform_of(std::span<const Scenario> points) {
  const Scenario& scenario = points.front();
  if (!scenario.topology) {
    const std::filesystem::path file = scenario.platform_file();
    return {file.string(), read_file(file)};
  }
  int hosts = 0;
  for (const Scenario& point : points) hosts = std::max(hosts, hosts_of(point));
  return {scenario.platform, topology_xml(*scenario.topology, hosts)};
}

Engine load_platform(const Scenario& scenario, const BuiltPlatform& platform,
                     const std::optional<FlatCluster>& cluster, std::size_t hosts) {
  const Depth depth = scenario.simulation.depth;
  if (cluster) return {platform, depth, *cluster, hosts};
  if (scenario.topology) return {platform, depth};
  return {scenario.platform_file(), depth};
}

// The scenario's compute_factor holds for every host.
Cast cast_of(const Engine& engine, const Scenario& scenario, const LayerGraph& graph,
             const Places& places, const Segment& segment) {
  Cast cast;
  if (places.is_folded()) {
    engine.require_hosts(scenario.members(), scenario.hosts());
  } else {
    cast.hosts = hosts_in(engine, scenario, segment);
  }
  const Hosts hosts = engine.place(places.count(), cast.hosts);
  cast.devices = host_devices(engine, hosts, scenario.device);
  for (HostDevice& device : cast.devices) device.speed *= scenario.simulation.compute_factor;
  slow_devices(engine, scenario, segment, hosts, cast.devices);
  const auto workers = static_cast<std::size_t>(places.count() - scenario.algorithm.servers());
  cast.members = member_devices(engine, cast.devices, workers, graph, scenario.pass_batch_size(),
                                segment_seed(scenario, segment), scenario.faults.compute);
  slow_at_times(engine, scenario, segment, hosts, cast.members);
  return cast;
}

std::optional<NetworkFigures> figures_of(const Scenario& scenario, const Engine& engine,
                                         const Cast& cast) {
  if (!needs_network_figures(scenario)) return std::nullopt;
  Fabric fabric(engine, engine.place(scenario.members(), cast.hosts));
  return platform_figures(fabric, scenario.algorithm.options, [&](int rank, std::size_t bytes) {
    return cast.members[rank].adding_time(bytes);
  });
}

}  // namespace tandem
