#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/collectives/all_reduce.h"
#include "core/comm/worker.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// The all-reduce with which the scenario's workers sum up `elements` numbers: its
/// algorithm.collective, or for `auto` the cheapest by algorithm.network, which has to be there
/// then. The same on every rank.
CollectiveUse all_reduce_use(const Scenario& scenario, std::size_t elements,
                             DType dtype = DType::kFloat32);

/// Starts this worker's part of a collective over all workers on `view`.
Handle start_collective(Worker& worker, const CollectiveUse& use, View view);

/// Whether all_reduce_use() asks for algorithm.network.
bool needs_network_figures(const Scenario& scenario);

/// Whether an all-reduce of two levels may take part, and algorithm.options lacks the node size
/// that the world then derives.
bool wants_node_size(const Scenario& scenario);
/// Whether all_reduce_use() can't do without.
bool needs_node_size(const Scenario& scenario);

/// The collectives of a job and why they were chosen, for run.json.
nlohmann::json describe(std::span<const CollectiveUse> uses);

}  // namespace tandem
