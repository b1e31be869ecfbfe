#pragma once

#include "core/strategies/layer_groups.h"
#include "core/training/replica.h"

namespace tandem {

/// As Replica::admit_step(), where each rank has the summed gradients of its own chunks only:
/// collective where the step needs something of all of them. What ranks add up is exact, so every
/// stage of ZeRO takes the same step.
bool admit_sharded_step(Replica& replica, const std::vector<LayerGroup>& groups, float average);

}  // namespace tandem
