#pragma once

#include <functional>

#include "core/record/point_check.h"
#include "core/record/point_result.h"
#include "core/scenario/scenario.h"
#include "sim/segment.h"
#include "sim/short_cut.h"

namespace tandem {

/// Predicts one scenario point, or a segment of it: runs its members on the simulated platform.
/// Hosts don't fail in it, and nothing is repeated (faults/runs.h does both). `progress` is called
/// after each iteration of rank 0. Throws InputError and RunError, and ShortCutFailed where it has
/// to be called again with that short-cut refused. Once a process, since SimGrid can't be started
/// twice.
PointResult simulate(const Scenario& scenario,
                     const std::function<void(int done, int total)>& progress = {},
                     const RefusedShortCuts& refused = {}, const Segment& segment = {});

/// Says early of points on one platform, that of the first, whether it holds their members, says
/// what device each has, and has the memory that a worker needs. Throws InputError where the
/// platform can't be read. Once a process too.
std::vector<PointCheck> check_points(const std::vector<Scenario>& points);

}  // namespace tandem
