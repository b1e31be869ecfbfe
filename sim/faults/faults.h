#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "sim/cast.h"
#include "sim/faults/background_traffic.h"
#include "sim/faults/link_faults.h"
#include "sim/job.h"

namespace tandem {

/// Throws InputError where the faults name a host or link that the platform lacks.
void require_fault_places(const Engine& engine, const FaultsSpec& faults);

/// Why the times of a collective's messages can't be told beforehand; nothing where they can.
std::optional<std::string> disturbance_of(const Engine& engine, const FaultsSpec& faults,
                                          const std::vector<MemberDevice>& members);

/// What a scenario's faults do to the network, in a segment of its job.
class NetworkFaults {
 public:
  /// Links that are degraded for the whole run are so from now on.
  NetworkFaults(const Engine& engine, const Scenario& scenario, const Segment& segment);

  /// Goes before Job::run(). Counts background traffic in the job's loads; both have to outlive the
  /// run.
  void start(Job& job);

 private:
  const Engine& engine_;
  std::uint64_t seed_;
  Seconds begin_;                          ///< of the segment
  std::vector<LinkFaultSpec> link_specs_;  ///< as the segment counts time
  std::vector<TrafficSpec> traffic_specs_;
  LinkFaults links_;
  std::optional<BackgroundTraffic> traffic_;
};

}  // namespace tandem
