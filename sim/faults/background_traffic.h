#pragma once

#include <deque>
#include <vector>

#include "core/base/random.h"
#include "core/scenario/faults.h"
#include "sim/engine.h"
#include "sim/link_loads.h"
#include "sim/passage.h"

namespace tandem {

struct TrafficEnds {
  simgrid::s4u::Host* source;
  simgrid::s4u::Host* destination;
};

/// Throws InputError, with the nearest name, where the platform lacks a host, or they are one.
TrafficEnds traffic_ends(const Engine& engine, const TrafficSpec& traffic);

/// Traffic of others on a job's network, from actors that keep no simulation going.
class BackgroundTraffic {
 public:
  /// Traffic begins when Engine::run() comes to it. Draws from streams of `seed`. Throws InputError
  /// as traffic_ends(). All have to outlive the run.
  BackgroundTraffic(const Engine& engine, const std::vector<TrafficSpec>& specs, std::uint64_t seed,
                    LinkLoads& loads);
  BackgroundTraffic(const BackgroundTraffic&) = delete;
  BackgroundTraffic& operator=(const BackgroundTraffic&) = delete;

  /// Counts what is still under way when the job has ended.
  void finish();

 private:
  /// A flow or message under way, or past.
  struct Flow final : Passage {
    void ended() override { traffic->end(*this, 0); }

    BackgroundTraffic* traffic = nullptr;
    std::size_t spec = 0;
    double bytes = 0;
    Seconds begin = 0;
    bool is_over = true;
    simgrid::s4u::CommPtr comm;
  };

  void run(std::size_t spec, RandomStream random);
  void send_messages(std::size_t spec, double bytes, Seconds every, RandomStream random);
  /// Of at most `rate` bytes/s, where that is above 0.
  Flow& start(std::size_t spec, double bytes, double rate = 0);
  void end(Flow& flow, double remaining);

  const std::vector<TrafficSpec>& specs_;
  LinkLoads& loads_;
  std::vector<TrafficEnds> ends_;        ///< by spec
  std::vector<std::vector<int>> links_;  ///< by spec, of its way
  std::deque<Flow> flows_;
};

}  // namespace tandem
