#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/result_folder.h"

namespace tandem {

/// The files by which this process and a backend's talk about one point.
struct PointFiles {
  std::filesystem::path folder;

  std::filesystem::path point() const { return folder / "point.json"; }
  std::filesystem::path result() const { return folder / "result.json"; }
  std::filesystem::path error() const { return folder / "result.json.error"; }
  std::filesystem::path progress() const { return folder / "progress"; }
  std::filesystem::path log() const { return folder / "log"; }
};

/// The arguments of a backend's executable for a point.
std::vector<std::string> point_arguments(const std::string& program, const PointFiles& files);

/// The path of a program beside this one. Throws InputError where it was not built.
std::string sibling_program(const std::string& name);

/// One of the two worlds, as a command that runs one point in a process of its own.
struct Backend {
  std::function<std::vector<std::string>(const Scenario&, const PointFiles&)> command;
  /// A command that fails where a point's members find no hosts; empty where that shows only when
  /// the point is run.
  std::function<std::vector<std::string>(const Scenario&, const PointFiles&)> check;
  bool shows_command = false;  ///< print what is run
};

/// Calls `check` with each point; names the point in the InputError that it throws.
void check_each(const std::vector<Scenario>& points,
                const std::function<void(const Scenario&)>& check);

/// Throws InputError, naming the point, where a backend has too few hosts for one of a sweep, so
/// that this shows before the first is run. Works in `folder`, which must exist.
void require_room(const std::vector<Scenario>& points, const Backend& backend,
                  const std::filesystem::path& folder);

/// Why a sweep ended early.
struct SweepFailure {
  std::string message;  ///< one line
  int exit_code = 1;
};

/// What a sweep came to: the points that were finished, in order, and why there aren't more.
struct SweepOutcome {
  std::vector<PointResult> results;
  std::optional<SweepFailure> failure;
};

/// Runs the points one after the other, showing progress; stops at the first that fails and where
/// this process is interrupted. Works in `folder`, which must exist.
SweepOutcome run_sweep(const std::vector<Scenario>& points, const Backend& backend,
                       const std::filesystem::path& folder);

/// Writes what was finished to the result folder `out`, prints its table, and after a failure one
/// line on stderr that says what is kept. Returns the exit code.
int finish_sweep(SweepOutcome& outcome, std::size_t points, const std::filesystem::path& out,
                 const RunInfo& info);

}  // namespace tandem
