#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// What a few bytes wait to leave a host, which has one queue for all its connections. Each keeps
/// some bytes in it as long as it has more to send: of a message two trains of packets at most, as
/// Linux's TCP gives it no third before the first has left (tcp_small_queue_check()), and a last,
/// shorter one when those before it have been acknowledged (tcp_tso_should_defer()). A message on
/// the few bytes' own connection is no obstacle: who asks for leave or gives it has sent all that
/// it was to send before.
class WireQueues {
 public:
  struct Message {
    std::uint64_t id;
    const simgrid::s4u::Host *from, *to;
    std::size_t bytes;
    Seconds begin;                 ///< when it was given to the system
    double bandwidth;              ///< at which it leaves where nothing else does, bytes/s
    simgrid::s4u::CommPtr comm{};  ///< none: it waits to leave
  };

  /// `most` is what they wait while another connection of their host sends as fast as it can:
  /// Calibration::queue_wait; 0: nobody waits. `held` is how much of a connection a host's queue
  /// has room for: Calibration::queued_bytes; 0: nobody says.
  WireQueues(Seconds most, std::size_t held) : most_(most), held_(static_cast<double>(held)) {}

  /// How many bytes of a connection that leave at such a rate are in the queue at most.
  double held(double bandwidth) const;

  /// From now on that counts, in place of what was said of the message before.
  void begin(const Message& message);
  void end(const simgrid::s4u::Host* from, std::uint64_t id);

  /// What they wait that are given to the system now.
  Seconds wait(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const;

 private:
  /// Of a message, bytes in the queue now.
  double queued(const Message& message) const;

  Seconds most_;
  double held_;
  std::unordered_map<const simgrid::s4u::Host*, std::vector<Message>> leaving_;
};

}  // namespace tandem
