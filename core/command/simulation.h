#pragma once

#include "core/command/backend.h"

namespace tandem {

/// Whether this build has a simulated world.
bool can_simulate();

/// The simulated world: one tandem-simulate a point. Throws InputError where there is none.
Backend simulation_backend();

/// Throws InputError, naming the point, where one can't be simulated: its model can't be built, or
/// the data does not fit it or, where it is needed, is not there.
void check_simulated(const std::vector<Scenario>& points);

}  // namespace tandem
