#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/command/backend.h"
#include "core/command/kept_points.h"
#include "core/record/result_folder.h"

namespace tandem {

/// Calls `check` with each point; names the point in the InputError that it throws.
void check_each(const std::vector<Scenario>& points,
                const std::function<void(const Scenario&)>& check);

/// What a backend knows of the points before the first is run. Throws InputError, naming the first
/// point, where some can't be. Where some are `chosen` these alone are looked at, and the others'
/// checks are empty. Works in `folder`, which must exist.
std::vector<PointCheck> require_room(const std::vector<Scenario>& points, const Backend& backend,
                                     const std::filesystem::path& folder,
                                     const std::vector<std::size_t>& chosen = {});

/// How a sweep is run.
struct SweepOptions {
  std::filesystem::path work;            ///< an existing folder, for what is still being made
  std::vector<PointCheck> checks;        ///< one a point
  const KeptPoints* kept = nullptr;      ///< where points are found and kept; null: nowhere
  std::vector<std::size_t> chosen = {};  ///< these alone, counted from 0; empty: all
  std::optional<int> jobs = 1;  ///< points at a time; none: one a processor within free memory
  bool is_aside = false;  ///< not what was asked for: no warnings, and standard output is left
  bool is_part = false;   ///< of what was asked for, and whoever runs it says what all warn of
};

/// What a sweep came to.
struct SweepOutcome {
  std::vector<std::optional<PointResult>> points;  ///< in order; nothing where there is no result
  std::vector<SweepFailure> failures;
  bool interrupted = false;

  std::size_t finished() const;
  /// Moves the results out, in order.
  std::vector<PointResult> take_results();
};

/// Runs the points, several beside each other where `options` say so, showing progress. A point
/// that was kept is not run again. After one that fails the others are run all the same, unless
/// the backend stops there; stops where this process is interrupted.
SweepOutcome run_sweep(const std::vector<Scenario>& points, const Backend& backend,
                       const SweepOptions& options);

/// "point 2 of 3 (resnet50, ring, 4 workers): MESSAGE"; of a single point the message alone.
std::string at_point(const std::vector<Scenario>& points, std::size_t index,
                     const std::string& message);

/// "1-3,7", counted from 1, of numbers counted from 0 that ascend.
std::string point_ranges(const std::vector<std::size_t>& points);

}  // namespace tandem
