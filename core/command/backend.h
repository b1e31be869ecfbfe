#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/record/point_check.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// The files by which this process and a backend's talk about one point.
struct PointFiles {
  std::filesystem::path folder;

  std::filesystem::path point() const { return folder / "point.json"; }
  std::filesystem::path result() const { return folder / "result"; }
  std::filesystem::path error() const { return folder / "result.error"; }
  std::filesystem::path progress() const { return folder / "progress"; }
  std::filesystem::path log() const { return folder / "log"; }
  /// What happens in the job, for those that watch over it (Journal).
  std::filesystem::path journal() const { return folder / "journal"; }
  /// What happens to the run that people want to know at once, a line each.
  std::filesystem::path news() const { return folder / "news"; }
};

/// The arguments of a backend's executable for a point.
std::vector<std::string> point_arguments(const std::string& program, const PointFiles& files);

/// The path of a program beside this one. Throws InputError where it was not built.
std::string sibling_program(const std::string& name);

/// One of the two worlds, as a command that runs one point in a process of its own.
struct Backend {
  std::function<std::vector<std::string>(const Scenario&, const PointFiles&)> command;
  /// Looks, before the first is run, whether points can be: one check a point. Works in the
  /// existing folder.
  std::function<std::vector<PointCheck>(const std::vector<Scenario>&, const std::filesystem::path&)>
      check;
  bool shows_command = false;     ///< print what is run
  bool starts_ranks = false;      ///< some may outlive the command, and are killed then
  bool stops_at_failure = false;  ///< else the points after one that failed are run all the same
};

/// What keeps a point from its result.
struct SweepFailure {
  std::size_t point = 0;  ///< counted from 0
  std::string message;    ///< one line
  int exit_code = 1;
};

/// Runs `command`, which checks points. Throws InputError with its message where it fails for bad
/// input, else RunError.
void run_check(const std::vector<std::string>& command, const PointFiles& files);

}  // namespace tandem
