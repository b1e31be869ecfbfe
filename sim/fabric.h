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
  std::vector<const simgrid::s4u::Link*> shared_links = {};  ///< those that split their bandwidth

  /// Of a message that has every link of it to itself.
  Seconds time(double bytes) const { return latency + bytes / bandwidth; }
};

/// A job's members on the platform's hosts, and the routes between them.
class Fabric {
 public:
  Fabric(const Engine& engine, std::vector<simgrid::s4u::Host*> hosts)
      : platform_(engine.platform()), hosts_(std::move(hosts)) {}

  int members() const { return static_cast<int>(hosts_.size()); }
  simgrid::s4u::Host* host(int rank) const { return hosts_[rank]; }
  /// Throws InputError where the platform has no route. Found once a pair, then remembered.
  const Path& path(int source, int destination);

 private:
  Path find(int source, int destination) const;

  std::filesystem::path platform_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::unordered_map<std::uint64_t, Path> paths_;
};

}  // namespace tandem
