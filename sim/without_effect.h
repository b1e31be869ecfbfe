#pragma once

#include <string>
#include <vector>

#include "core/record/point_result.h"
#include "sim/cast.h"
#include "sim/link_loads.h"

namespace tandem {

/// What of a scenario had no effect on its simulation, a line each: faults that befell
/// nobody or came too late, keys that nothing asked for, and misspelt properties of its platform.
std::vector<std::string> keys_without_effect(const Engine& engine, const Scenario& scenario,
                                             const Cast& cast, LinkLoads& loads, Seconds end,
                                             const std::vector<MemberResult>& members);

/// What of its platform had none: links that carried nothing, and hosts without a member.
std::vector<std::string> platform_without_effect(const Engine& engine, const Cast& cast,
                                                 LinkLoads& loads);

}  // namespace tandem
