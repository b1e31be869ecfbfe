#pragma once

#include <vector>

#include "core/scenario/scenario.h"
#include "sim/devices.h"
#include "sim/engine.h"
#include "sim/segment.h"

namespace tandem {

/// The members on the host that a fault befalls, by place; none where nobody is there. `ranks` are
/// the members' in the whole job. Throws InputError with the nearest name where the platform has no
/// such host; `key` is the fault's.
std::vector<int> befallen(const Engine& engine, const std::vector<simgrid::s4u::Host*>& hosts,
                          const std::vector<int>& ranks, const FaultTarget& target,
                          const std::string& key);

/// Slows the devices that are slow for the whole run.
void slow_devices(const Engine& engine, const Scenario& scenario, const Segment& segment,
                  const std::vector<simgrid::s4u::Host*>& hosts, std::vector<HostDevice>& devices);

/// And those that are so at times, counted from the segment's begin on.
void slow_at_times(const Engine& engine, const Scenario& scenario, const Segment& segment,
                   const std::vector<simgrid::s4u::Host*>& hosts,
                   std::vector<MemberDevice>& members);

}  // namespace tandem
