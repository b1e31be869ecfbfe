#pragma once

#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"
#include "core/record/recorder.h"
#include "sim/engine.h"
#include "sim/link_loads.h"

namespace tandem {

/// The way between two members, as the network model counts it.
struct Path {
  Seconds latency = 0;
  double bandwidth = 0;  ///< of the narrowest link, bytes/s; infinite between a host and itself
  std::vector<const simgrid::s4u::Link*> shared_links = {};  ///< those that split their bandwidth
  const MessageCosts* costs = nullptr;                       ///< the engine's
  bool has_bursts = false;                                   ///< of a link at least: burst_of()
  bool may_change = false;                                   ///< of a link at least
  std::vector<int> links = {};                               ///< by Fabric::loads(), all of them

  /// Of a message that gets `share` of the bandwidth, its costs included.
  Seconds time(std::size_t bytes, double share) const;
  /// Of one that has every link to itself.
  Seconds time(std::size_t bytes) const { return time(bytes, bandwidth); }
  /// What that time is made of.
  MessageTime parts(std::size_t bytes) const;
};

/// A job's members on the platform's hosts, and the routes between them. The engine must outlive
/// it.
class Fabric {
 public:
  Fabric(const Engine& engine, std::vector<simgrid::s4u::Host*> hosts)
      : engine_(engine), hosts_(std::move(hosts)) {}

  const MessageCosts& costs() const { return engine_.message_costs(); }
  const Calibration& calibration() const { return engine_.calibration(); }
  const NominalLink& calibrated_link() const { return engine_.calibrated_link(); }
  int members() const { return static_cast<int>(hosts_.size()); }
  simgrid::s4u::Host* host(int rank) const { return hosts_[rank]; }
  /// As it is now. Throws InputError where the platform has no route. Found once a pair, then
  /// remembered, and brought up to date where a link may change.
  const Path& path(int source, int destination);
  /// Whether a message of so many bytes is sent before its receiver is there: Calibration.
  bool goes_unasked(int source, int destination, std::size_t bytes) const {
    const std::size_t most = calibration().eager_bytes;
    return most > 0 && bytes <= most && hosts_[source] != hosts_[destination];
  }
  /// What members' messages put on the links.
  LinkLoads& loads() { return loads_; }

 private:
  Path find(int source, int destination);

  const Engine& engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::unordered_map<std::uint64_t, Path> paths_;
  LinkLoads loads_;
};

}  // namespace tandem
