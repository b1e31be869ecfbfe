#include "core/command/what_ifs.h"

#include <cmath>

#include "core/command/points.h"

namespace tandem {
namespace {

// As good as infinite or none, and not so far off that sums of times lose digits.
constexpr double kHuge = 1e4, kTiny = 1e-4;

struct NamedChange {
  const char* name;
  Change change;
  bool is_single = true;
};

constexpr NamedChange kAsItIs = {"as it is", {}};
constexpr NamedChange kNoNetwork = {"infinite bandwidth, no latency",
                                    {.bandwidth = kHuge, .latency = kTiny}};
constexpr NamedChange kFasterDevices = {"devices twice as fast", {.compute = 2}};

/// A measurement can't tell latency from bandwidth.
std::vector<NamedChange> changes_of(const std::string& world) {
  if (world != "simulated") return {kAsItIs, kNoNetwork, kFasterDevices};
  return {kAsItIs,
          {"infinite bandwidth", {.bandwidth = kHuge}},
          {"no latency", {.latency = kTiny}},
          {kNoNetwork.name, kNoNetwork.change, false},
          kFasterDevices};
}

/// An iteration's time where all goes faster by `more` of it.
Seconds time_after(const EventGraph& graph, const TracedNetwork& network, Change change,
                   const Scope& scope, double more = 0) {
  change.bandwidth *= 1 + more;
  change.latency /= 1 + more;
  change.compute *= 1 + more;
  return iteration_time(graph, replay(graph, network, change), scope);
}

/// Whether it changes by far more than all else does. Where members serve whoever comes first, who
/// is first by a hair can decide who is first by a mile an iteration later; a simulation's rounding
/// is another than a replay's, and what they say is then as good as that of two runs.
bool hangs_by_rounding(const EventGraph& graph, const TracedNetwork& network, const Change& change,
                       const Scope& scope, Seconds time) {
  constexpr double kJolt = 1e-9, kMuch = 1e-3;
  if (graph[boost::graph_bundle].empty()) return false;
  for (const double jolt : {kJolt, -kJolt})
    if (std::abs(time_after(graph, network, change, scope, jolt) / time - 1) > kMuch) return true;
  return false;
}

Scenario changed(Scenario point, const Change& change) {
  point.simulation.bandwidth_factor *= change.bandwidth;
  point.simulation.latency_factor *= change.latency;
  point.simulation.compute_factor *= change.compute;
  return point;
}

}  // namespace

std::vector<WhatIf> what_ifs(const Scenario& point, const std::string& world,
                             const EventGraph& graph, const TracedNetwork& network,
                             const Scope& scope, const AsideSimulator* simulator) {
  std::vector<WhatIf> all;
  std::vector<Scenario> points;
  for (const auto& [name, change, is_single] : changes_of(world)) {
    all.push_back({.name = name, .is_single = is_single});
    const Seconds time = time_after(graph, network, change, scope);
    all.back().hangs_by_rounding = hangs_by_rounding(graph, network, change, scope, time);
    if (!all.back().hangs_by_rounding) all.back().predicted_s = time;
    points.push_back(timed(changed(point, change)));
  }
  if (simulator == nullptr) return all;
  if (!point.algorithm.overlap) {
    all.push_back({.name = "overlap: true"});
    points.push_back(timed(point));
    points.back().algorithm.overlap = true;
  }
  const std::vector<PointResult> results = simulator->run(points);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].simulated_s = results[i].summary.iteration_s;
  return all;
}

}  // namespace tandem
