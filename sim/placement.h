#pragma once

#include <vector>

#include "core/scenario/scenario.h"
#include "sim/engine.h"

namespace tandem {

/// The host of each member, an index into Engine::hosts(). Workers take the first ones, which
/// simulation.rank_order `platform` shares out among them in ring_order(), unless there are
/// servers: then workers don't talk to each other. Where the platform has hosts with the property
/// `role` of `server`, these take the dedicated servers, and nobody else; otherwise servers come
/// after the workers. Throws InputError where the platform has too few hosts of either role, or one
/// of another role.
std::vector<int> member_hosts(const Engine& engine, const Scenario& scenario);

/// Some of Engine::hosts(), by index, in the ring_order() of the network between them.
std::vector<int> in_ring_order(const Engine& engine, const std::vector<int>& hosts);

}  // namespace tandem
