#pragma once

#include "core/command/sweep.h"

namespace tandem {

/// The simulated world: one tandem-simulate a point.
Backend simulation_backend();

}  // namespace tandem
