#include "core/command/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/terminal.h"
#include "core/command/sweep.h"

namespace tandem {
namespace {

std::vector<std::string> warnings_of(const nlohmann::json& environment) {
  auto warnings = environment.value("warnings", std::vector<std::string>());
  const auto unused = environment.value("without_effect", std::vector<std::string>());
  if (!unused.empty())
    warnings.push_back(fmt::format("without effect: {}", fmt::join(unused, "; ")));
  return warnings;
}

using Points = std::vector<std::size_t>;

/// By the points that they are of, which ended in any order.
std::vector<std::pair<Points, std::string>> in_order(
    const std::map<std::string, Points>& warnings) {
  std::vector<std::pair<Points, std::string>> ordered;
  for (const auto& [warning, points] : warnings) {
    ordered.emplace_back(points, warning);
    std::ranges::sort(ordered.back().first);
  }
  std::ranges::sort(ordered);
  return ordered;
}

std::string where(const Points& points, std::size_t point_count) {
  if (points.size() == point_count) return "";
  return fmt::format("{} {} of {}: ", points.size() == 1 ? "point" : "points", point_ranges(points),
                     point_count);
}

}  // namespace

void Warnings::add(std::size_t point, const PointResult& result) {
  auto& warnings = result.summary.world == "real" ? measured_ : predicted_;
  for (std::string& warning : warnings_of(result.environment))
    warnings[std::move(warning)].push_back(point);
}

void Warnings::print(std::size_t point_count) const {
  for (const auto& [points, warning] : in_order(predicted_))
    print_line(stdout, "warning: " + where(points, point_count) + warning);
  std::fflush(stdout);
  for (const auto& [points, warning] : in_order(measured_))
    print_line(stderr, "tandem: warning: " + where(points, point_count) + warning);
}

}  // namespace tandem
