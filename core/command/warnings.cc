#include "core/command/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

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

std::string where(std::vector<std::size_t> points, std::size_t point_count) {
  std::ranges::sort(points);  // which ended in any order
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
  for (const auto& [warning, points] : predicted_)
    fmt::print("warning: {}{}\n", where(points, point_count), warning);
  std::fflush(stdout);
  for (const auto& [warning, points] : measured_)
    fmt::print(stderr, "tandem: warning: {}{}\n", where(points, point_count), warning);
}

}  // namespace tandem
