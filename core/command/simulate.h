#pragma once

#include "core/command/sweep.h"

namespace tandem {

/// Whether this build has a simulated world.
bool can_simulate();

/// The simulated world: one tandem-simulate a point. Throws InputError where there is none.
Backend simulation_backend();

}  // namespace tandem
