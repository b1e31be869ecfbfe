#pragma once

#include <deque>
#include <vector>

#include "core/faults/arrivals.h"
#include "core/scenario/faults.h"
#include "sim/engine.h"
#include "sim/link_loads.h"
#include "sim/passage.h"
#include "sim/token_buckets.h"

namespace tandem {

struct TrafficEnds {
  simgrid::s4u::Host* source;
  simgrid::s4u::Host* destination;
  std::vector<simgrid::s4u::Link*> way;
};

/// Throws InputError, with the nearest name, where the platform lacks a host, they are one, or have
/// no route.
TrafficEnds traffic_ends(const Engine& engine, const TrafficSpec& traffic);

/// Traffic of others on a job's network, from actors that keep no simulation going.
class BackgroundTraffic {
 public:
  /// Traffic begins when Engine::run() comes to it. Draws from streams of `seed`, and counts
  /// time from `since` after the job's begin. Throws InputError as traffic_ends(). All have to
  /// outlive the run.
  BackgroundTraffic(const Engine& engine, const std::vector<TrafficSpec>& specs, std::uint64_t seed,
                    Seconds since, LinkLoads& loads, TokenBuckets& shapers);
  BackgroundTraffic(const BackgroundTraffic&) = delete;
  BackgroundTraffic& operator=(const BackgroundTraffic&) = delete;

  /// Ends what is under way, when the job has ended; else the simulation would go on with it.
  void finish();

 private:
  /// A flow or message under way, or past.
  struct Flow final : Passage {
    void ended() override;
    /// It has ended when this returns.
    void stop();

    BackgroundTraffic* traffic = nullptr;
    std::size_t spec = 0;
    double bytes = 0;
    double rate = 0;  ///< bytes/s that it has at most; 0: what it gets
    double cut = 0;   ///< of its bytes
    Seconds begin = 0;
    bool is_over = true;
    bool is_stopped = false;  ///< for good: SimGrid may report its end more than once
    simgrid::s4u::CommPtr comm;
  };

  void run(std::size_t spec, std::uint64_t seed);
  /// Until then, counted from the job's begin.
  void sleep_until(Seconds time) const;
  /// One after the other: one that comes before the last is through waits for it.
  void send_messages(std::size_t spec, double bytes, Arrivals arrivals);
  /// Of at most `rate` bytes/s, where that is above 0.
  Flow& start(std::size_t spec, double bytes, double rate = 0);

  const std::vector<TrafficSpec>& specs_;
  Seconds since_;
  LinkLoads& loads_;
  TokenBuckets& shapers_;
  std::vector<TrafficEnds> ends_;        ///< by spec
  std::vector<std::vector<int>> links_;  ///< by spec, of its way
  std::deque<Flow> flows_;
  std::vector<simgrid::s4u::SemaphorePtr> idle_;  ///< by spec: of those that send messages
};

}  // namespace tandem
