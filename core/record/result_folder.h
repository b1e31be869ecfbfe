#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// What run.json says its result is written in: goes up by one where those who read the one before
/// would misread a result. analysis/results.py has it too.
inline constexpr int kResultFormat = 1;

/// What run.json says of the command that made a result.
struct RunInfo {
  std::string command;        ///< as typed
  std::string scenario_file;  ///< as given
};

/// Sets speedup and efficiency of every row whose single-worker baseline is among the rows: one
/// worker that sends nothing (algorithm none, or an all-reduce of one) with the same model,
/// dataset, batch size and device, and of a simulation the same platform (a real run's names the
/// hosts that it took).
void fill_speedups(std::vector<Summary>& rows);

/// Throws InputError where a folder has the place of one of a result's files.
void require_free_files(const std::filesystem::path& folder);

/// Writes a result folder: summary.csv (a row a point), iterations.csv, trace.json (Chrome trace
/// events, for Perfetto) and run.json; each file as a whole or not at all. Fills the points'
/// speed-ups first.
void write_result_folder(const std::filesystem::path& folder, std::vector<PointResult>& points,
                         const RunInfo& info);

/// Removes what a result folder holds, and nothing else that is in `folder`.
void remove_result(const std::filesystem::path& folder);

/// Puts the result folder `from` in the place of `to`, by a rename of each file: both are in one
/// file system.
void move_result_folder(const std::filesystem::path& from, const std::filesystem::path& to);

/// Of each point, in order.
std::vector<Summary> summaries(const std::vector<PointResult>& points);

}  // namespace tandem
