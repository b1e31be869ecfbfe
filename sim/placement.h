#pragma once

#include <vector>

#include "core/scenario/scenario.h"
#include "sim/engine.h"

namespace tandem {

/// The host of each member, an index into Engine::hosts(). Where the platform has hosts with the
/// property `role` of `server`, these take the dedicated servers, and nobody else; otherwise
/// servers come after the workers. Throws InputError where the platform has too few hosts of either
/// role, or one of another role.
std::vector<int> member_hosts(const Engine& engine, const Scenario& scenario);

}  // namespace tandem
