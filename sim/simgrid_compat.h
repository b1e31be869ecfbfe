#pragma once

// All that differs between SimGrid 3.32 (Debian 12) and 4.x, and nothing else.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

// These lean on the headers above.
#if __has_include(<simgrid/simcall.hpp>)
#include <simgrid/simcall.hpp>
#else
#include <simgrid/simix.hpp>
#endif
#include <simgrid/version.h>
#if SIMGRID_VERSION < 33400
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <xbt/log.h>

#include "sim/changing_links.h"
#include "sim/passage.h"

namespace tandem::simgrid_compat {

namespace s4u = simgrid::s4u;

/// How close two points of simulated time may lie before SimGrid takes them for one, in seconds.
inline constexpr const char* kTimingPrecisionKey =
    SIMGRID_VERSION >= 33400 ? "precision/timing" : "surf/precision";
inline constexpr const char* kWorkPrecisionKey =
    SIMGRID_VERSION >= 33400 ? "precision/work-amount" : "maxmin/precision";

/// The outermost zone of the platform's file; 4.0 puts one of its own around it.
inline const s4u::NetZone& outermost_zone(const s4u::Engine& engine) {
  const s4u::NetZone* root = engine.get_netzone_root();
#if SIMGRID_VERSION >= 40000
  const std::vector<s4u::NetZone*> zones = root->get_children();
  if (!zones.empty()) return *zones.front();
#endif
  return *root;
}

/// init() and start() are in all versions; create() and add_actor() each in some.
inline s4u::ActorPtr add_actor(const std::string& name, s4u::Host* host,
                               const std::function<void()>& body) {
  return s4u::Actor::init(name, host)->start(body);
}

/// What is to be run when; a process has one simulation.
inline std::map<double, std::vector<std::function<void()>>> agenda;

/// Runs `body` in the kernel at `time`, after what was to be run at that time before: SimGrid runs
/// timers of one time in an order of its own.
inline void at(double time, std::function<void()> body) {
  std::vector<std::function<void()>>& bodies = agenda[time];
  bodies.push_back(std::move(body));
  if (bodies.size() > 1) return;
  simgrid::kernel::timer::Timer::set(time, [time] {
    const auto due = agenda.extract(time);
    for (const std::function<void()>& each : due.mapped()) each();
  });
}

/// Runs `body` whenever a communication has ended, in the kernel, before any actor runs again.
inline void on_comm_completion(const std::function<void(const s4u::Activity&)>& body) {
#if SIMGRID_VERSION >= 33400
  s4u::Comm::on_completion_cb([body](const s4u::Comm& comm) { body(comm); });
#else
  s4u::Activity::on_completion_cb(body);
#endif
}

/// A message, of which some bytes have passed at once, so that SimGrid sees the others only.
struct Message {
  std::size_t bytes = 0;
  std::size_t passed = 0;
  double rate = 0;   ///< bytes/s that it takes at most, of which nothing is a cost; 0: what it gets
  double spent = 0;  ///< of its latency, before it was started
};

/// The one that is being started, with its way, which set_network_factors() fills in.
struct Starting {
  Message message;
  std::vector<s4u::Link*> links;
  double latency = 0;
};
inline Starting starting;

/// Links beyond the first of flows on their way, by when the flow's latency ends.
///
/// SimGrid works out shares anew only of links that it knows for changed. Of a flow whose latency
/// ends it looks at the first link, and at the others through that one; but where that one was
/// changed already, as by another flow of the same host at the same time, it looks no further. All
/// flows over a link that it missed then go as if that weren't there. So it is told of all.
inline std::multimap<double, s4u::Link*> beginnings;

/// Does so whenever simulated time goes on. To be called once.
inline void watch_beginnings(double timing_precision) {
  s4u::Engine::on_time_advance_cb([timing_precision](double) {
    const double now = s4u::Engine::get_clock();
    while (!beginnings.empty() && beginnings.begin()->first <= now + timing_precision) {
      touch(*beginnings.begin()->second);
      beginnings.erase(beginnings.begin());
    }
  });
}

/// Starts a transfer between two hosts, without either's actors, that on_comm_completion() knows as
/// `passage`. Started from the kernel on behalf of the calling actor: it is the kernel's
/// own communications whose end 3.32 reports by itself.
inline s4u::CommPtr start_transfer(s4u::Host* from, s4u::Host* to, const Message& message,
                                   Passage* passage) {
  return simgrid::kernel::actor::simcall_answered([=] {
    s4u::CommPtr comm = s4u::Comm::sendto_init(from, to);
    comm->set_data(passage);
    comm->set_payload_size(message.bytes - message.passed);
    starting = {message, {}, 0};
    const LifelongBound bound(*from, *to, message.rate);
    comm->start();
    const double beginning = s4u::Engine::get_clock() + starting.latency;
    for (std::size_t i = 1; i < starting.links.size(); ++i)
      beginnings.emplace(beginning, starting.links[i]);
    return comm;
  });
}

struct Route {
  std::vector<s4u::Link*> links;
  double latency = 0;
};

inline Route route(const s4u::Host* from, const s4u::Host* to) {
  Route route;
  from->route_to(to, route.links, &route.latency);
  for (const s4u::Link* link : route.links)
    route.latency += latency_now(*link) - link->get_latency();
  return route;
}

inline double latency_of(const std::vector<s4u::Link*>& links) {
  double latency = 0;
  for (const s4u::Link* link : links) latency += latency_now(*link);
  return latency;
}

/// As SimGrid has it, which factors are of.
inline double undisturbed_latency_of(const std::vector<s4u::Link*>& links) {
  double latency = 0;
  for (const s4u::Link* link : links) latency += link->get_latency();
  return latency;
}

/// Of the narrowest.
inline double bandwidth_of(const std::vector<s4u::Link*>& links) {
  double bandwidth = std::numeric_limits<double>::infinity();
  for (const s4u::Link* link : links) bandwidth = std::min(bandwidth, bandwidth_now(*link));
  return bandwidth;
}

/// A factor of a message's latency or bandwidth, by it and the links of its way.
using NetworkFactor = std::function<double(const Message&, const std::vector<s4u::Link*>& links)>;

/// Of the whole platform; the functions are called for every start_transfer() from now on.
inline void set_network_factors(const s4u::Engine& engine, const NetworkFactor& latency,
                                const NetworkFactor& bandwidth) {
  const auto latency_callback = [latency](double, const s4u::Host*, const s4u::Host*,
                                          const std::vector<s4u::Link*>& links,
                                          const std::unordered_set<s4u::NetZone*>&) {
    const double factor = latency(starting.message, links);
    starting.links = links;
    starting.latency = factor * undisturbed_latency_of(links);
    return factor;
  };
  const auto bandwidth_callback = [bandwidth](double, const s4u::Host*, const s4u::Host*,
                                              const std::vector<s4u::Link*>& links,
                                              const std::unordered_set<s4u::NetZone*>&) {
    return bandwidth(starting.message, links);
  };
  auto* root = engine.get_netzone_root();
#if SIMGRID_VERSION >= 33400
  root->set_latency_factor_cb(latency_callback);
  root->set_bandwidth_factor_cb(bandwidth_callback);
#else
  root->get_network_model()->set_lat_factor_cb(latency_callback);
  root->get_network_model()->set_bw_factor_cb(bandwidth_callback);
#endif
}

inline std::string version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace tandem::simgrid_compat
