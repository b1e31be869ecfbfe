#pragma once

#include "core/scenario/scenario.h"

namespace tandem {

/// Bytes that this machine can still give to processes, or that this process's control group may
/// still take where that is less; infinite where neither is known.
double free_memory();

/// About what the simulation of a point takes, in bytes: generously, for it decides how many run
/// beside each other.
double simulation_memory(const Scenario& point);

}  // namespace tandem
