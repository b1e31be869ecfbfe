#pragma once

#include <string>

#include "core/command/backend.h"
#include "core/command/options.h"

namespace tandem {

/// Throws InputError where the scenario has faults that a run which is started so can't inject.
void require_injectable(const ScenarioFile& file, const LaunchOptions& launch, bool elastic);

/// Why the point's numbers can't move as it asks for; empty where they can.
std::string why_not_moved(const Scenario& point);

/// The real world: one MPI job of tandem-run a point. Where it is `elastic`, or members of it fail
/// by the point's faults, tandem-elastic starts jobs until the training is done.
Backend run_backend(const LaunchOptions& launch, bool elastic);

/// Has points save their state as often as their `faults` say. Throws InputError where they can't.
void derive_checkpoints(std::vector<Scenario>& points);

/// Adds `run` to the commands of `tandem lab`.
void add_lab_run(CLI::App& lab, CommandAction& action);

}  // namespace tandem
