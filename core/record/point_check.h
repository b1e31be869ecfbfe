#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// What is known of a point before it is run.
struct PointCheck {
  std::string inputs;  ///< tells the files apart that the result follows from, as does the scenario
  std::string error;   ///< why the point can't be run; empty where it can
  /// Devices whose memory nobody stated, so that whether the point fits into it was not looked at.
  std::vector<std::string> of_unknown_memory = {};
  /// Iterations that its members record, all together, of which the result is made.
  double records = 0;
};

/// Writes checks for another process to read, one JSON file.
void save_checks(const std::filesystem::path& file, const std::vector<PointCheck>& checks);
/// Throws RunError where the file is missing or broken.
std::vector<PointCheck> load_checks(const std::filesystem::path& file);

}  // namespace tandem
