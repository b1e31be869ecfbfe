#pragma once

#include <vector>

#include "core/faults/failures.h"
#include "core/record/point_result.h"
#include "sim/segment.h"

namespace tandem {

/// How long each iteration takes, in the mean over workers, from the end of the one before.
std::vector<Seconds> iteration_times(const std::vector<MemberResult>& members);

/// What to simulate of a stretch of training: the same with those that are there.
Scenario segment_scenario(const Scenario& scenario, const TrainingStretch& stretch);
Segment segment_of(const Scenario& scenario, const TrainingStretch& stretch);

}  // namespace tandem
