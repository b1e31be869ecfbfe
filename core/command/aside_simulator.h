#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/command/backend.h"
#include "core/record/point_result.h"

namespace tandem {

/// Simulates points to learn from them, without writing a result.
class AsideSimulator {
 public:
  /// Works in the folder `work`, which must exist. Throws InputError where there is no simulator.
  explicit AsideSimulator(std::filesystem::path work);

  /// Throws InputError where a point can't be simulated, and RunError where one fails.
  std::vector<PointResult> run(const std::vector<Scenario>& points) const;

  /// Nothing where the platform has no room for it, or it can't be simulated otherwise. Throws
  /// RunError where it fails.
  std::optional<PointResult> run_if_possible(const Scenario& point) const;

  /// Why it can't be simulated, such as for a file that is gone; empty where it can.
  std::string why_impossible(const Scenario& point) const;

 private:
  std::vector<PointResult> run(const std::vector<Scenario>& points,
                               std::vector<PointCheck> checks) const;

  Backend backend_;
  std::filesystem::path work_;
};

}  // namespace tandem
