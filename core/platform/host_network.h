#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

struct NetworkLink {
  std::string name;
  double bandwidth = 0;   ///< bytes/s, of all that cross it in its direction
  bool is_shared = true;  ///< else each message has all of the bandwidth
  double burst = 0;       ///< bytes that it lets through at once after a rest
};

/// The way from one host to another.
struct HostRoute {
  std::vector<int>
      links;  ///< in order, indices into HostNetwork::links(); empty where there is none
  Seconds latency = 0;
};

/// The hosts of some workers, numbered from 0, and how they reach each other. A link that has a
/// bandwidth for each direction is two.
class HostNetwork {
 public:
  virtual ~HostNetwork() = default;
  virtual int hosts() const = 0;
  /// Requires two different hosts.
  virtual HostRoute route(int from, int to) = 0;
  /// Of all routes that were asked for so far.
  virtual const std::vector<NetworkLink>& links() const = 0;

  /// Bytes/s of a route's narrowest link; infinite where it has none.
  double bandwidth(const HostRoute& route) const {
    double narrowest = std::numeric_limits<double>::infinity();
    for (const int link : route.links) narrowest = std::min(narrowest, links()[link].bandwidth);
    return narrowest;
  }
};

}  // namespace tandem
