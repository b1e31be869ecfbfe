#pragma once

#include "core/command/backend.h"
#include "core/command/options.h"

namespace tandem {

/// The real world: one MPI job of tandem-run a point.
Backend run_backend(const LaunchOptions& launch);

/// Adds `run` to the commands of `tandem lab`.
void add_lab_run(CLI::App& lab, CommandAction& action);

}  // namespace tandem
