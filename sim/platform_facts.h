#pragma once

#include <optional>
#include <vector>

#include "core/platform/all_reduce_bound.h"
#include "core/scenario/scenario.h"
#include "sim/engine.h"

namespace tandem {

// What follows from the platform for a scenario whose members are on `hosts`, as member_hosts()
// gives them.

/// Throws InputError naming two hosts where members that have to exchange messages have no route:
/// workers next to each other, or where there are servers, each worker and these.
void require_routes(const Engine& engine, const std::vector<int>& hosts, const Scenario& scenario);

/// Gives a scenario that can use it, and has none, a node size: the platform's. Throws InputError
/// where the collective has to have one, and the platform has no nodes of one size.
void derive_node_size(const Engine& engine, const std::vector<int>& hosts, Scenario& scenario);

/// Of the workers; nothing where there is one, or no limit, or, where the platform is no single
/// cluster, whose hosts `are_alike`, more than kMostBoundedHosts.
std::optional<AllReduceBound> all_reduce_bound(const Engine& engine, const std::vector<int>& hosts,
                                               const Scenario& scenario, bool are_alike);

}  // namespace tandem
