#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"
#include "sim/way.h"

namespace tandem {

/// What a few bytes wait to leave a host, which has one queue for all its connections. Each keeps
/// some bytes in it as long as it has more to send: two trains of packets at most, as Linux's TCP
/// gives it no third before the first has left (tcp_small_queue_check()), and of a message's last,
/// shorter train nothing before those before it have been acknowledged (tcp_tso_should_defer()). A
/// message on the few bytes' own connection is no obstacle: who asks for leave or gives it has sent
/// all that it was to send before.
class WireQueues {
 public:
  struct Message {
    std::uint64_t id;
    double bytes;
    Seconds begin;                 ///< when it was given to the system
    double bandwidth;              ///< at which it leaves where nothing else does, bytes/s
    simgrid::s4u::CommPtr comm{};  ///< none: it waits for those before it
    double to_come = 0;            ///< of its bytes, those that are not the communication's
  };

  /// `longest_wait` is what they wait while another connection of their host sends as fast as it
  /// can: Calibration::queue_wait; 0: nobody waits. `most_queued` is how many bytes of a connection
  /// a host's queue takes, however fast they leave: Calibration::queued_bytes; 0: nobody says.
  WireQueues(Seconds longest_wait, std::size_t most_queued)
      : longest_wait_(longest_wait), most_queued_(static_cast<double>(most_queued)) {}

  bool makes_wait() const { return longest_wait_ > 0; }
  /// How many bytes of a connection that leave at such a rate are in the queue at most; without end
  /// where nobody says.
  double room(double bandwidth) const;
  /// How many of a message's `left` bytes leave before what is sent after it to other hosts, where
  /// shapers let `at_once` of them through in no time: whole trains, those that pass at once and
  /// three more (or what leaves in time, one at least), since the system looks whether more than
  /// two are in the queue before it adds one, and the last, shorter one too where no train of it
  /// waits before it. All of them where nobody says how long trains are.
  double portion(double left, double at_once, double bandwidth) const;

  void begin(const simgrid::s4u::Host* from, Way way, const Message& message);
  /// It waits no longer, but leaves, but for `to_come` of its bytes.
  void depart(const simgrid::s4u::Host* from, Way way, std::uint64_t id, simgrid::s4u::CommPtr comm,
              std::size_t to_come);
  /// It has left, or never will.
  void end(const simgrid::s4u::Host* from, Way way, std::uint64_t id);

  /// What they wait on a connection that are given to the system now.
  Seconds wait(const simgrid::s4u::Host* from, Way way) const;

 private:
  Seconds wait_behind(const std::vector<Message>& messages) const;

  Seconds longest_wait_;
  double most_queued_;
  /// By host, connections that have some.
  std::unordered_map<const simgrid::s4u::Host*, std::map<Way, std::vector<Message>>> leaving_;
};

}  // namespace tandem
