#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/comm/kernel.h"
#include "core/faults/slowness.h"
#include "core/record/recorder.h"
#include "sim/busy_time.h"
#include "sim/operation.h"

namespace tandem {

/// How long a member's device takes.
struct MemberDevice {
  /// Of a kernel in the member's iteration of that number, counted from 0; below 0 in none.
  std::function<Seconds(const Kernel&, int iteration)> kernel_time;
  std::function<Seconds(std::size_t bytes)> adding_time;  ///< to add received bytes to a buffer
  double memory_bytes = 0;                                ///< 0 where it is not known
  bool varies = false;                            ///< iterations alike don't take the same time
  std::shared_ptr<const Slowness> slowness = {};  ///< at times; null where it keeps its speed
};

/// What the simulated world keeps of one member.
struct Member {
  Member(int place, int rank, simgrid::s4u::Host* host, MemberDevice device,
         const TracedIterations& traced)
      : place(place), rank(rank), host(host), device(std::move(device)), recorder(traced) {}

  /// What takes `work` at the device's full speed, from `now` on.
  Seconds device_time(Seconds now, Seconds work) const {
    if (!device.slowness) return work;
    return device.slowness->time(now, recorder.iteration_under_way(), work);
  }

  const int place;  ///< among the members that are run (places.h)
  const int rank;
  simgrid::s4u::Host* const host;
  const MemberDevice device;
  Recorder recorder;
  Waiter waiter;             ///< of its own actor
  BusyTime in_memory;        ///< of its collectives that are done there
  double compute_lost = 0;   ///< Calibration::compute_lost
  std::uint64_t events = 0;  ///< times that it slept or waited
};

}  // namespace tandem
