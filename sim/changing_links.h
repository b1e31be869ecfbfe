#pragma once

#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>
#include <utility>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

// Links whose bandwidth or latency change in the course of time, by the platform or by faults. A
// process has one simulation, and so one set of them.

/// `link` may change from now on; until now it had its bandwidth of now.
void expect_changes(simgrid::s4u::Link& link);
bool may_change(const simgrid::s4u::Link& link);
/// Gives it so many times its bandwidth for the whole run, whatever a profile makes of that.
void scale_bandwidth(simgrid::s4u::Link& link, double factor);
/// Gives it from now on so many times the bandwidth that it would have, which may change meanwhile.
/// Requires may_change().
void set_bandwidth_factor(simgrid::s4u::Link& link, double factor);
/// Tells SimGrid that flows over it have changed.
void touch(simgrid::s4u::Link& link);

/// Its bandwidth, whatever a LifelongBound makes of it.
double bandwidth_now(const simgrid::s4u::Link& link);
/// Messages that begin from now on take so many times the link's latency.
void set_latency_factor(const simgrid::s4u::Link& link, double factor);
Seconds latency_now(const simgrid::s4u::Link& link);
/// How many bytes it lets through from `begin` to `end`, by the bandwidths that it has had until
/// now.
double let_through(const simgrid::s4u::Link& link, Seconds begin, Seconds end);

/// SimGrid bounds a flow, for as long as it lasts, by the narrowest of its links as they are when
/// it starts. While this lives, that is `rate`, where that is above 0, and no link that may change:
/// a flow that starts meanwhile on a degraded link goes on faster when that recovers.
class LifelongBound {
 public:
  LifelongBound(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to, double rate);
  ~LifelongBound();
  LifelongBound(const LifelongBound&) = delete;
  LifelongBound& operator=(const LifelongBound&) = delete;
};

}  // namespace tandem
