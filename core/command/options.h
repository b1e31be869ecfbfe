#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/command/launcher.h"
#include "core/record/result_folder.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// What main() does once the command line is read; returns the exit code.
using CommandAction = std::function<int()>;

/// The scenario that a command works on, as the command line names and changes it.
struct ScenarioOptions {
  std::string scenario;
  std::vector<std::string> sets;
  std::optional<std::string> platform, device, out;
  bool chakra = false;
  std::vector<Override> more;  ///< of a command's own options

  /// The scenario, with every change applied. Throws InputError.
  ScenarioFile load() const;
  /// --out, or results/NAME.
  std::filesystem::path out_folder(const ScenarioFile& file) const;
};

/// Takes a whole number of at least 1.
CLI::Validator counts_from_one();
/// Takes a number from 0 to 1.
CLI::Validator share();

/// Adds SCENARIO and --set.
void add_scenario(CLI::App& command, ScenarioOptions& options);
/// Adds --device.
void add_device(CLI::App& command, ScenarioOptions& options);
/// Adds --platform and --device.
void add_platform(CLI::App& command, ScenarioOptions& options);
/// Adds --out.
void add_out(CLI::App& command, ScenarioOptions& options);
/// Adds --chakra.
void add_chakra(CLI::App& command, ScenarioOptions& options);
/// Adds -j; nothing is one process a processor.
void add_jobs(CLI::App& command, std::optional<int>& jobs);
/// Adds --hostfile, --launcher and --lab.
void add_launch(CLI::App& command, LaunchOptions& options);

/// Throws InputError where a point has no platform to be simulated on.
void require_platform(const ScenarioFile& file);

/// This process's own command line, for run.json.
std::string own_command();

}  // namespace tandem
