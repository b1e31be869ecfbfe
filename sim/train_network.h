#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "core/base/seconds.h"
#include "core/base/spread.h"
#include "sim/fabric.h"
#include "sim/way.h"

namespace tandem {

/// Messages as the trains of packets that TCP makes of them, over links that are shapers: each has
/// a token bucket of its property `burst` and one queue, takes what comes in its order, and passes
/// a train whole when there are tokens for all its bytes (Linux's tc-tbf(8)), or a little later, as
/// the calibration found its timers. This is what a fluid that all flows share evenly has no place
/// for: who comes first to a switch is served first, who asks or answers waits behind all that is
/// queued on the way, and who sends faster gets more.
///
/// A connection is a stream of fragments, of which a message adds three and then one for each that
/// has left, as Open MPI's does (its btl_tcp_max_send_size and pml_ob1_send_pipeline_depth): small
/// messages pass large ones. As Linux's TCP does,
/// - it adds a train to its host's queue where it has two there at most (tcp_small_queue_check());
/// - it keeps the last, shorter train of a fragment back that has just been written, where more
///   than its own length is in that queue, until a train has left it or something is acknowledged
///   (tcp_should_autocork()); what is sent before then leaves in the same train;
/// - it has no more on the way than the receiver's window holds, and waits while that has room
///   neither for a whole train nor for a third of itself; but not where nothing is on the way, the
///   first train that is has been there for less than half a usual round trip, or none has been
///   added for a millisecond: then one is cut to fit (tcp_tso_should_defer()).
///
/// A train is acknowledged when its receiver has read it and as long again as a small message keeps
/// one busy, by a packet that takes no tokens but its place in all queues of the way back. One of
/// more tokens than a bucket's depth waits until that is full, and leaves it in debt; one of more
/// bytes, which a faster wire let through, is cut to segments [tbf_segment()], which pass that link
/// and all after it as there are tokens for each; it is taken in, and acknowledged, when the last
/// of them is there. Links' latencies are a message's, when all of it is there; trains take none.
///
/// A host copies what it sends, one message after the other, and what it receives, each byte for as
/// long as the calibration says that either end is busy with it; meanwhile trains leave and tokens
/// come. Of messages that have landed and wait, it takes the one of the lowest rank in first, as
/// MPI goes through its connections. Sending and receiving don't meet, and a message's latency
/// keeps nobody busy. Where hosts have a property `processor`, they do: one processor copies for
/// all hosts that name it, in and out, one message after the other, and is busy with a message for
/// as long as a small one keeps its sender before its first byte leaves, and its receiver after its
/// last is there. Who has used it looks for messages once more before another may have it, for a
/// slice (Calibration::polling_slice()), as where that was measured; and then, or where it has
/// rested, every other host with members there may do so before the receiver, for as long in all as
/// is drawn between nothing and a slice of each. A receiver that has neither sent nor received for
/// a while sleeps (kStaysAwake), and is woken first, for as long as the calibration says that
/// takes.
///
/// Messages that should be alike are not: each takes as much more or less, whatever its size, as a
/// small one that is drawn from the calibration's takes more or less than their median. Without
/// that, workers that take turns would keep to whatever pattern they happen to begin with.
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

  /// Of trains and a window as its calibration has them, and shorter trains where a host's wire has
  /// a shorter burst. `seed` is of the draws from how long messages take. Links have their
  /// bandwidth for good.
  TrainNetwork(Fabric& fabric, std::uint64_t seed);
  TrainNetwork(const TrainNetwork&) = delete;
  TrainNetwork& operator=(const TrainNetwork&) = delete;

  /// Between two hosts. Called by members and in the kernel.
  void send(Way way, Message message);

 private:
  /// A message until its last byte is there.
  struct Passing {
    Message message;
    double tokens;              ///< that each byte takes
    double sending, receiving;  ///< what each byte takes to be copied at the ends, s
    double added = 0;           ///< bytes, in fragments, to its connection
    double landed = 0;          ///< bytes
  };
  struct Fragment {
    std::shared_ptr<Passing> of;
    double bytes;
    Seconds begun;  ///< when its sender begins to copy it
    double sent = 0, landed = 0;
  };
  struct Written {
    double bytes = 0;
    Seconds copied = 0;  ///< when all of them are
  };
  struct Shaper;
  /// Copies one message after the other.
  struct Copier {
    Seconds busy_until = -1;  ///< the past: since when it rests
    int last = -1;            ///< rank that it last copied for
    int hosts = 0;  ///< with members on this processor, which is busy with more than bytes; or none
  };
  struct Connection;
  /// A message that is all there and that its receiver has not begun to take in.
  struct Landed {
    Connection* connection;
    Seconds latency;  ///< that it takes after that
    std::function<void()> arrived;
  };
  /// Of messages that a burst lets through at once.
  struct AtOnce {
    BusyEnds busy;
    Spread spread;  ///< of what they take
  };
  struct Connection {
    std::vector<Shaper*> there, back;
    Copier *from, *to;
    int source, destination;
    std::vector<Landed>* landed;  ///< at its receiver
    /// Bytes that all shapers there let through at once.
    double burst = std::numeric_limits<double>::infinity();
    double train = 0;  ///< bytes at most
    const AtOnce* at_once = nullptr;
    std::deque<Fragment> fragments = {};
    double on_the_way = 0;           ///< bytes that have not been acknowledged
    std::deque<Seconds> added = {};  ///< when, of the trains that have not been
    Seconds last_added = 0;
    Seconds last_read = 0;  ///< at its receiver, of what is acknowledged
    Seconds last_arrived = 0;
    Seconds round_trip = 0;  ///< smoothed as by RFC 6298
    double queued = 0;       ///< of those, in its host's queue
    double landing = 0;      ///< of a train that was cut and is not all there
    bool waits_for_copy = false;
    /// What it gives out may be there and acknowledged at once, and let it give out more: then it
    /// does so `once_more`, rather than within itself.
    bool gives_out = false, once_more = false;
  };
  struct Train {
    Connection* connection = nullptr;
    double bytes = 0;
    double tokens = 0;  ///< bytes' worth, of each link
    bool acknowledges = false;
    std::size_t hops = 0;  ///< how many links it has passed
    bool is_cut = false;   ///< as many segments go as there are tokens for
    bool goes_on = false;  ///< more of what was one train follows

    double tokens_of_segment() const;
    /// Those that so many tokens are enough for, one at least; all where they are.
    Train take_segments(double available);
  };
  struct Shaper {
    double bandwidth;      ///< bytes/s
    double depth, tokens;  ///< bytes; the latter at `since`
    Seconds since = 0;
    std::deque<Train> queue = {};
    bool is_busy = false;
  };

  Connection& connection(Way way);
  const AtOnce& at_once(double burst);
  /// How many bytes the trains have that enter the network there.
  double train_into(const Shaper& shaper) const;
  std::vector<Shaper*> shapers_of(const Path& path);
  Copier& copier(int rank, bool sends);
  void add_fragment(Connection& connection, const std::shared_ptr<Passing>& passing);
  /// `is_written`: something has just been copied, by whom it sends.
  void advance(Connection& connection, bool is_written);
  /// How long an end is busy with what is left of a message's latency, which it takes off.
  static Seconds busy_with(Passing& passing, const Copier& copier, Seconds most);
  void give_out(Connection& connection, bool is_written);
  /// What of a connection's fragments may leave next, as one train, if all goes well.
  Written next_written(const Connection& connection) const;
  /// How many of `left` bytes leave now, as one train; 0: they wait.
  double next_train(const Connection& connection, double left, bool is_written) const;
  bool waits_for_room(const Connection& connection, double left) const;
  /// The next train.
  Train take(Connection& connection, double bytes);
  void forward(Train train);
  /// Lets go what its queue has tokens for. The first was to go at `due`; the shaper may be late,
  /// but its tokens count from then.
  void pass(Shaper& shaper, Seconds due);
  /// When the rank, to which something has come, is awake.
  Seconds wake(int rank);
  /// Gives its processor to the rank, which may have to wait for it, from `ready` on.
  void give(Copier& processor, int rank, Seconds ready);
  void land(Train train);
  void land(Connection& connection, Passing& passing, double bytes);
  /// `message` has landed, and its receiver takes one in from `begun` until `done`.
  void arrive(Connection& connection, Message& message, Seconds begun, Seconds done);

  Fabric& fabric_;
  double train_, window_;
  Seconds small_;                     ///< what the smallest messages take
  Seconds slice_, waking_;            ///< Calibration::polling_slice(), waking()
  Seconds late_;                      ///< Calibration::shaper_lateness()
  std::vector<Seconds> awake_until_;  ///< by rank
  RandomStream random_;
  std::map<Way, Connection> connections_;
  std::map<double, AtOnce> at_once_;  ///< by the burst
  std::unordered_map<const simgrid::s4u::Link*, Shaper> shapers_;
  /// Of what a host sends, and of what comes to it; of both where it is on a processor.
  std::unordered_map<const simgrid::s4u::Host*, Copier> sent_by_, taken_by_;
  std::unordered_map<std::string, Copier> processors_;
  std::unordered_map<const simgrid::s4u::Host*, std::vector<Landed>> landed_;
};

}  // namespace tandem
