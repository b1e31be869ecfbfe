#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/command/sweep.h"
#include "core/record/result_folder.h"

namespace tandem {

/// The table of summary_table.h, on stdout.
void print_summaries(const std::vector<PointResult>& results);

/// Writes `results`, what take_results() gave of `outcome`, to the result folder `out` and
/// prints their table; where points are missing, one line on stderr for each that failed, and what
/// is kept. An older finished result gives way to a whole one only. Where points are missing,
/// `how_to_go_on` ends the last line; if that is empty, the same command goes on with what was kept
/// after an interruption. Returns the exit code.
int finish_sweep(
    std::vector<PointResult>& results, const SweepOutcome& outcome,
    const std::filesystem::path& out, const RunInfo& info, const KeptPoints* kept = nullptr,
    const std::function<void(const std::vector<PointResult>&)>& print_table = print_summaries,
    const std::string& how_to_go_on = "");

/// The same of some points of a sweep, which are kept for the others: writes no tables.
int finish_chosen(const SweepOutcome& outcome, const std::vector<std::size_t>& chosen,
                  const KeptPoints& kept);

}  // namespace tandem
