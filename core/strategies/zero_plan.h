#pragma once

#include <vector>

#include "core/strategies/strategy.h"

namespace tandem {

/// What ZeRO (zero.h) starts.
std::vector<CollectiveUse> zero_collectives(const Scenario& scenario, const LayerGraph& graph);

/// What `rank` holds throughout; the rest is in use only while a group needs it.
Holding zero_holding(const Scenario& scenario, const LayerGraph& graph, int rank);

}  // namespace tandem
