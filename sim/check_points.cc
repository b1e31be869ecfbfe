#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/model/custom.h"
#include "core/strategies/all_reduce_use.h"
#include "core/strategies/memory_use.h"
#include "sim/cast.h"
#include "sim/faults/faults.h"
#include "sim/folding.h"
#include "sim/platform_facts.h"
#include "sim/simulate.h"

namespace tandem {
namespace {

/// Of those that compute; a server holds less.
std::vector<std::string> of_unknown_memory(const Cast& cast, int workers) {
  std::set<std::string> names;
  for (int rank = 0; rank < workers; ++rank)
    if (cast.members[rank].memory_bytes == 0) names.insert(cast.devices[rank].name);
  return {names.begin(), names.end()};
}

/// How many of an epoch's there are follows from data that may not be there yet: these don't count.
double records_of(const Scenario& point, const LayerGraph& graph,
                  const std::optional<FlatCluster>& cluster) {
  const double members = folding_refusal(point, graph, cluster) ? point.members() : 1;
  return members * (point.warmup_iterations + point.iterations.value_or(0));
}

/// Throws InputError where the point can't be run.
PointCheck check_point(const Engine& engine, Scenario point, const Places& places,
                       const std::optional<FlatCluster>& cluster) {
  const LayerGraph graph = build_model(point.model);
  const double records = records_of(point, graph, cluster);
  require_fault_places(engine, point.faults);
  const Cast cast = cast_of(engine, point, graph, places);
  if (!places.is_folded()) {
    require_routes(engine, cast.hosts, point);
    derive_node_size(engine, cast.hosts, point);
    point.algorithm.network = figures_of(point, engine, cast);
  }
  require_memory(point, WorkerMemory(point, graph), cast.devices, cast.members);
  // A topology is in the scenario; how many hosts of it were built depends on the other points.
  std::string inputs = (point.topology ? "" : engine.xml()) + engine.calibration().text();
  for (const auto& [name, text] : profile_texts(engine, cast.devices)) {
    inputs += name;
    inputs += "\n" + text;
  }
  return {.inputs = fnv1a_hex(std::as_bytes(std::span(inputs))),
          .error = "",
          .of_unknown_memory = of_unknown_memory(cast, places.is_folded() ? 1 : point.workers),
          .records = records};
}

/// That of the points' platform, where none of them needs to know it more closely.
std::optional<FlatCluster> cluster_of(const std::vector<Scenario>& points,
                                      const BuiltPlatform& platform) {
  const bool all_fold = std::ranges::all_of(points, [&](const Scenario& point) {
    return !needs_network_figures(point) && !wants_node_size(point) &&
           point.algorithm.placement == Placement::kDedicated && !point.faults.names_platform();
  });
  return all_fold ? find_flat_cluster(platform.xml) : std::nullopt;
}

}  // namespace

std::vector<PointCheck> check_points(const std::vector<Scenario>& points) {
  const BuiltPlatform platform = platform_of(points);
  const auto cluster = cluster_of(points, platform);
  std::size_t hosts = 0;
  for (const Scenario& point : points) hosts = std::max(hosts, folded_hosts(point));
  const Engine engine = load_platform(points.front(), platform, cluster, hosts);
  std::vector<PointCheck> checks;
  for (const Scenario& point : points) {
    const Places places = cluster ? Places::folded(point.workers, point.algorithm.servers())
                                  : Places(point.members());
    try {
      checks.push_back(check_point(engine, point, places, cluster));
    } catch (const InputError& error) {
      checks.push_back({.inputs = "", .error = error.what()});
    }
  }
  return checks;
}

}  // namespace tandem
