#pragma once

#include <filesystem>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"
#include "sim/engine.h"

namespace tandem {

/// The way between two members, as the network model counts it.
struct Path {
  Seconds latency = 0;
  double bandwidth = 0;  ///< of the narrowest link, bytes/s; infinite between a host and itself
  double first_bandwidth = 0;                                ///< of the first link, bytes/s
  std::vector<const simgrid::s4u::Link*> shared_links = {};  ///< those that split their bandwidth
  const MessageCosts* costs = nullptr;                       ///< the engine's
  bool has_bursts = false;                                   ///< of a link at least: burst_of()

  /// Of a message that gets `share` of the bandwidth, its costs included.
  Seconds time(std::size_t bytes, double share) const;
  /// Of one that has every link to itself.
  Seconds time(std::size_t bytes) const { return time(bytes, bandwidth); }
};

/// A job's members on the platform's hosts, and the routes between them. The engine must outlive
/// it.
class Fabric {
 public:
  Fabric(const Engine& engine, std::vector<simgrid::s4u::Host*> hosts)
      : platform_(engine.platform()),
        costs_(engine.message_costs()),
        eager_bytes_(engine.calibration().eager_bytes),
        hosts_(std::move(hosts)) {}

  const MessageCosts& costs() const { return costs_; }
  /// As Calibration::eager_bytes.
  std::size_t eager_bytes() const { return eager_bytes_; }
  int members() const { return static_cast<int>(hosts_.size()); }
  simgrid::s4u::Host* host(int rank) const { return hosts_[rank]; }
  /// Throws InputError where the platform has no route. Found once a pair, then remembered.
  const Path& path(int source, int destination);

 private:
  Path find(int source, int destination) const;

  std::filesystem::path platform_;
  const MessageCosts& costs_;
  std::size_t eager_bytes_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::unordered_map<std::uint64_t, Path> paths_;
};

}  // namespace tandem
