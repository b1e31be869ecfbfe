#include "core/command/what_ifs.h"

#include <algorithm>

#include "core/command/points.h"
#include "core/explain/prediction.h"
#include "core/scenario/specs.h"

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

// Stays within what a scenario may have, which is as good as infinite or none too.
void scale(double& factor, double times) {
  factor = std::clamp(factor * times, kLeastFactor, kMostFactor);
}

Scenario changed(Scenario point, const Change& change) {
  scale(point.simulation.bandwidth_factor, change.bandwidth);
  scale(point.simulation.latency_factor, change.latency);
  scale(point.simulation.compute_factor, change.compute);
  return point;
}

}  // namespace

std::vector<WhatIf> what_ifs(const Scenario& point, const std::string& world,
                             const EventGraph& graph, const TracedNetwork& network,
                             const Scope& scope, const AsideSimulator* simulator) {
  std::vector<WhatIf> all;
  std::vector<Scenario> points;
  for (const auto& [name, change, is_single] : changes_of(world)) {
    all.push_back({.name = name,
                   .predicted_s = predicted_time(graph, network, change, scope),
                   .is_single = is_single});
    points.push_back(timed(changed(point, change)));
  }
  if (simulator == nullptr) return all;
  if (!point.algorithm.overlap) {
    all.push_back({.name = "overlap: true", .is_only_simulated = true});
    points.push_back(timed(point));
    points.back().algorithm.overlap = true;
  }
  const std::vector<PointResult> results = simulator->run(points);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].simulated_s = results[i].summary.iteration_s;
  return all;
}

}  // namespace tandem
