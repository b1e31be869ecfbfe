#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/seconds.h"
#include "sim/fabric.h"
#include "sim/way.h"

namespace tandem {

/// Messages as the trains of packets that TCP makes of them, over links that are shapers: each has
/// a token bucket of its property `burst` and one queue, takes what comes in its order, and passes
/// a train whole when there are tokens for all its bytes (Linux's tc-tbf(8)). This is what a fluid
/// that all flows share evenly has no place for: who comes first to a switch is served first, who
/// asks or answers waits behind all that is queued on the way, and who sends faster gets more.
///
/// A connection is a stream of fragments, of which a message adds three and then one for each that
/// has left, as Open MPI's does (its btl_tcp_max_send_size and pml_ob1_send_pipeline_depth): small
/// messages pass large ones. As Linux's TCP does,
/// - it adds a train to its host's queue where it has two there at most (tcp_small_queue_check());
/// - it keeps the last, shorter train of a fragment back that has just been written, where more
///   than its own length is in that queue, until a train has left it or something was acknowledged
///   (tcp_should_autocork());
/// - it has no more on the way than the receiver's window holds, and gives out the last train of a
///   fragment where the window has room for a third of itself or for a whole train, or nothing is
///   on the way (tcp_tso_should_defer()). Every train is acknowledged, by a packet that takes no
///   tokens but its place in all queues of the way back.
///
/// A train of more than a bucket's depth waits until that is full, and leaves it in debt. Links'
/// latencies are a message's, when all of it is there; trains and acknowledgements take none.
///
/// A host copies what it sends, one message after the other, and what it receives, each byte in
/// half the time that one takes at least; meanwhile trains leave and tokens come. Sending and
/// receiving don't meet, and a message's latency keeps nobody busy. Where hosts have a property
/// `processor`, they do: one processor copies for all hosts that name it, in and out, one message
/// after the other, and is busy for half of a message's latency before its first byte leaves and
/// after its last is there.
class TrainNetwork {
 public:
  struct Message {
    double bytes;      ///< carried: fewer than `size` where its announcement took some along
    std::size_t size;  ///< its costs are those of so many bytes
    bool is_copied;
    Seconds latency;                ///< what it takes beside copying and its wires
    std::function<void()> arrived;  ///< called in the kernel
  };

  /// Whether messages on the platform go so: all its links are shapers, for good, and its
  /// calibration says how long trains are.
  static bool fits(const Engine& engine);

  /// Of `train_bytes` each; of a connection no more than `window_bytes` are on the way, if those
  /// are not 0. Links have their bandwidth for good.
  TrainNetwork(Fabric& fabric, std::size_t train_bytes, std::size_t window_bytes);
  TrainNetwork(const TrainNetwork&) = delete;
  TrainNetwork& operator=(const TrainNetwork&) = delete;

  /// Between two hosts. Called by members and in the kernel.
  void send(Way way, Message message);

 private:
  /// A message until its last byte is there.
  struct Passing {
    Message message;
    double tokens;      ///< that each byte takes
    double copying;     ///< what each byte takes to be copied at either end, s
    double added = 0;   ///< bytes, in fragments, to its connection
    double landed = 0;  ///< bytes
  };
  struct Fragment {
    std::shared_ptr<Passing> of;
    double bytes;
    Seconds begun;  ///< when its sender begins to copy it
    double sent = 0, landed = 0;
  };
  struct Shaper;
  /// Of a connection: who copies there, one message after the other.
  struct End {
    Seconds* busy_until;
    double of_latency;  ///< share of a message's latency that it is busy with
  };
  struct Connection {
    std::vector<Shaper*> there, back;
    End from, to;
    /// Bytes that all shapers there let through at once.
    double burst = std::numeric_limits<double>::infinity();
    std::deque<Fragment> fragments = {};
    double on_the_way = 0;  ///< bytes that have not been acknowledged
    double queued = 0;      ///< of those, in its host's queue
    bool waits_for_copy = false;
    /// What it gives out may be there and acknowledged at once, and let it give out more: then it
    /// does so `once_more`, rather than within itself.
    bool gives_out = false, once_more = false;
  };
  struct Train {
    Connection* connection;
    double bytes;
    double tokens;  ///< bytes' worth, of each link
    bool acknowledges;
    std::size_t hops = 0;  ///< how many links it has passed
  };
  struct Shaper {
    double bandwidth;      ///< bytes/s
    double depth, tokens;  ///< bytes; the latter at `since`
    Seconds since = 0;
    std::deque<Train> queue = {};
    bool is_busy = false;
  };

  Connection& connection(Way way);
  std::vector<Shaper*> shapers_of(const Path& path);
  End end(int rank, bool sends);
  void add_fragment(Connection& connection, const std::shared_ptr<Passing>& passing);
  /// `is_written`: something has just been copied, by whom it sends.
  void advance(Connection& connection, bool is_written);
  void give_out(Connection& connection, bool is_written);
  bool is_kept_back(const Connection& connection, double bytes, bool is_last,
                    bool is_written) const;
  void forward(Train train);
  void pass(Shaper& shaper);
  void land(const Train& train);

  Fabric& fabric_;
  double train_, window_;
  std::map<Way, Connection> connections_;
  std::unordered_map<const simgrid::s4u::Link*, Shaper> shapers_;
  /// When a host has copied all that it had to send, and all that came; when a processor has.
  std::unordered_map<const simgrid::s4u::Host*, Seconds> sent_by_, taken_by_;
  std::unordered_map<std::string, Seconds> processors_;
};

}  // namespace tandem
