#include "core/command/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace tandem {
namespace {

struct PointGroup {
  std::set<int> worker_counts;
  bool has_baseline = false;
};

/// One worker that does nothing but train, undisturbed.
bool is_baseline(const Scenario& point) {
  const AlgorithmSpec& algorithm = point.algorithm;
  return point.workers == 1 && !point.faults.has_cause() &&
         (algorithm.name == "none" ||
          (algorithm.name == "all_reduce" && algorithm.compression.name == "none"));
}

std::string group_of(const Scenario& point) {
  const nlohmann::json all = to_json(point);
  nlohmann::json shared;
  for (const char* key : {"model", "data", "batch_size", "platform", "device"})
    shared[key] = all.value(key, nlohmann::json());
  shared["compute_factor"] = point.simulation.compute_factor;
  return shared.dump();
}

/// Adds the first point of each platform and device for which `width` is largest.
void add_widest(std::set<std::size_t>& indices, const std::vector<Scenario>& points,
                int (*width)(const Scenario&)) {
  std::map<std::pair<std::string, std::string>, std::size_t> widest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [found, is_first] =
        widest.try_emplace({points[i].platform, points[i].device.value_or("")}, i);
    if (width(points[i]) > width(points[found->second])) found->second = i;
  }
  for (const auto& [place, index] : widest)
    if (width(points[index]) > 0) indices.insert(index);
}

}  // namespace

Scenario baseline_of(Scenario point) {
  point.algorithm = {};
  point.algorithm.name = "none";
  point.variant.clear();
  point.workers = 1;
  point.faults = {};
  return point;
}

std::vector<Scenario> with_baselines(const std::vector<Scenario>& points) {
  std::map<std::string, PointGroup> groups;
  for (const Scenario& point : points) {
    PointGroup& group = groups[group_of(point)];
    group.worker_counts.insert(point.workers);
    group.has_baseline = group.has_baseline || is_baseline(point);
  }
  std::vector<Scenario> all;
  for (const Scenario& point : points) {
    PointGroup& group = groups[group_of(point)];
    if (!group.has_baseline && group.worker_counts.size() > 1) {
      all.push_back(baseline_of(point));
      group.has_baseline = true;
    }
    all.push_back(point);
  }
  return all;
}

std::vector<std::size_t> widest_points(const std::vector<Scenario>& points) {
  std::set<std::size_t> widest;
  add_widest(widest, points,
             [](const Scenario& point) { return std::ranges::max(point.hosts()) + 1; });
  add_widest(widest, points, [](const Scenario& point) { return point.members(); });
  add_widest(widest, points, [](const Scenario& point) { return point.workers; });
  add_widest(widest, points, [](const Scenario& point) { return point.algorithm.servers(); });
  return {widest.begin(), widest.end()};
}

Scenario timed(Scenario scenario) {
  constexpr int kIterations = 20;
  const int period = scenario.period();
  const int wanted = std::min(scenario.iterations.value_or(kIterations), kIterations);
  scenario.iterations = (wanted + period - 1) / period * period;
  scenario.epochs.reset();
  scenario.evaluate_every.reset();
  scenario.simulation.depth = Depth::kSizes;
  return scenario;
}

std::string label_of(const Scenario& point) {
  return fmt::format("{}, {}{}{}, {} {}", point.model.name, point.algorithm.label(),
                     point.variant.empty() ? "" : ", ", point.variant, point.workers,
                     point.workers == 1 ? "worker" : "workers");
}

}  // namespace tandem
