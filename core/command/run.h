#pragma once

#include "core/command/backend.h"
#include "core/command/options.h"

namespace tandem {

/// Throws InputError where the scenario has faults, which only a simulation injects so far.
void require_undisturbed(const ScenarioFile& file);

/// The real world: one MPI job of tandem-run a point.
Backend run_backend(const LaunchOptions& launch);

/// Adds `run` to the commands of `tandem lab`.
void add_lab_run(CLI::App& lab, CommandAction& action);

}  // namespace tandem
