#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/collectives/choose.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "sim/devices.h"
#include "sim/engine.h"
#include "sim/flat_cluster.h"
#include "sim/places.h"
#include "sim/segment.h"

namespace tandem {

/// The first so many hosts of a platform are those that the scenario's members may be on.
int hosts_of(const Scenario& scenario);

/// The platform of points that share one: its file's text, or what their topology becomes with as
/// many hosts as the largest of them has members. Throws InputError.
BuiltPlatform platform_of(std::span<const Scenario> points);

/// Loads the platform of `scenario`, which is `platform`; of a `cluster` the first `hosts` only.
Engine load_platform(const Scenario& scenario, const BuiltPlatform& platform,
                     const std::optional<FlatCluster>& cluster, std::size_t hosts);

/// Members, their hosts and devices, by place.
struct Cast {
  std::vector<int> hosts;  ///< empty where workers are folded: the first ones
  std::vector<HostDevice> devices;
  std::vector<MemberDevice> members;
};

/// Throws InputError where the platform has too few hosts, or one has no device.
Cast cast_of(const Engine& engine, const Scenario& scenario, const LayerGraph& graph,
             const Places& places, const Segment& segment = {});

/// What `collective: auto` goes by, where the scenario has it.
std::optional<NetworkFigures> figures_of(const Scenario& scenario, const Engine& engine,
                                         const Cast& cast);

}  // namespace tandem
