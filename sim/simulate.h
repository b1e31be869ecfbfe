#pragma once

#include <functional>

#include "core/record/point_result.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Predicts one scenario point: runs its members on the simulated platform. `progress` is called
/// after each iteration of rank 0. Throws InputError and RunError. Once a process, since SimGrid
/// can't be started twice.
PointResult simulate(const Scenario& scenario,
                     const std::function<void(int done, int total)>& progress = {});

/// Says early whether the point's platform can be read, holds its members, and says what device
/// each has. Throws InputError. Once a process too.
void check_platform(const Scenario& scenario);

}  // namespace tandem
