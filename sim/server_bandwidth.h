#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "sim/engine.h"
#include "sim/places.h"

namespace tandem {

using Hosts = std::vector<simgrid::s4u::Host*>;

/// One line for a scenario whose servers have less bandwidth in all than its workers, so that these
/// may wait for the servers' links; nothing for others. What counts of a host is the first link of
/// its routes; one that several share counts once. Requires that the platform has a route between
/// any two of the members.
///
/// `hosts` are those of `places`, of which one that stands for several counts as often.
std::optional<std::string> server_bandwidth_warning(const Scenario& scenario, const Hosts& hosts,
                                                    const Places& places);

}  // namespace tandem
