#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/command/options.h"

namespace tandem {

/// Writes a script for Slurm's sbatch: an array of tasks that each run one point, or several where
/// there are more points than an array commonly may have tasks, and keep them in `out`. Prints how
/// to submit it, and the command that joins the points. Returns the exit code. Throws InputError.
int write_array_script(const std::filesystem::path& file, const ScenarioOptions& scenario,
                       const std::vector<Scenario>& points, const std::filesystem::path& out);

/// The command whose points a script runs, with what was asked of them.
std::vector<std::string> array_command(const ScenarioOptions& scenario,
                                       const std::filesystem::path& out);

/// The text of the script. `command` runs the sweep; the script adds --points. `memory` is what a
/// task asks for, in bytes.
std::string array_script(const std::string& name, const std::vector<std::string>& labels,
                         const std::vector<std::string>& command,
                         const std::filesystem::path& folder, double memory);

}  // namespace tandem
