#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// What a few bytes wait to leave a host, which has one queue for all its connections: each keeps
/// some bytes in it as long as it has more to send. A message on the few bytes' own connection is
/// no obstacle: who asks for leave or gives it has sent all that it was to send before.
class WireQueues {
 public:
  struct Message {
    std::uint64_t id;
    const simgrid::s4u::Host *from, *to;
    Seconds begin;     ///< when it was given to the system
    double bandwidth;  ///< at which it leaves where nothing else does, bytes/s
    simgrid::s4u::CommPtr comm;
  };

  /// `most` is what they wait while another connection of their host sends as fast as it can:
  /// Calibration::queue_wait. 0: nobody waits.
  explicit WireQueues(Seconds most) : most_(most) {}

  void begin(const Message& message);
  void end(const simgrid::s4u::Host* from, std::uint64_t id);

  /// What they wait that are given to the system now.
  Seconds wait(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const;

 private:
  Seconds most_;
  std::unordered_map<const simgrid::s4u::Host*, std::vector<Message>> leaving_;
};

}  // namespace tandem
