#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "sim/engine.h"

namespace tandem {

/// One line for a scenario whose servers have less bandwidth in all than its workers, which then
/// wait for the servers' links; nothing for others. What counts of a host is the first link of its
/// routes; one that several share counts once. Requires that the platform has a route between any
/// two of the members, whose hosts are those that member_hosts() gives.
std::optional<std::string> server_bandwidth_warning(const Engine& engine,
                                                    const std::vector<int>& member_hosts,
                                                    const Scenario& scenario);

}  // namespace tandem
