#include "sim/cast.h"

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/platform/topology_xml.h"
#include "core/strategies/all_reduce_use.h"
#include "sim/network_figures.h"
#include "sim/placement.h"

namespace tandem {

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
                     const std::optional<FlatCluster>& cluster) {
  const Depth depth = scenario.simulation.depth;
  if (cluster) return {platform, depth, *cluster};
  if (scenario.topology) return {platform, depth};
  return {scenario.platform_file(), depth};
}

// The scenario's compute_factor holds for every host.
Cast cast_of(const Engine& engine, const Scenario& scenario, const LayerGraph& graph,
             const Places& places) {
  Cast cast;
  if (places.is_folded()) {
    engine.require_hosts(scenario.members(), scenario.hosts());
  } else {
    cast.hosts = member_hosts(engine, scenario);
  }
  cast.devices = host_devices(engine, engine.place(places.count(), cast.hosts), scenario.device);
  for (HostDevice& device : cast.devices) device.speed *= scenario.simulation.compute_factor;
  cast.members =
      member_devices(engine, cast.devices, graph, scenario.pass_batch_size(), scenario.seed);
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
