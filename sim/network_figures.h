#pragma once

#include "core/collectives/choose.h"
#include "sim/executors/plan.h"
#include "sim/fabric.h"

namespace tandem {

/// What a platform says of the patterns that measure_network() measures in a real run: in each,
/// the longest latency, and the narrowest fair share of a link among all that cross it. All members
/// of `fabric` take part.
NetworkFigures platform_figures(Fabric& fabric, const AllReduceOptions& options,
                                const AddingTime& adding_time);

}  // namespace tandem
