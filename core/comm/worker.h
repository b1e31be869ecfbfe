#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/base/seconds.h"
#include "core/comm/buffer.h"
#include "core/comm/errors.h"
#include "core/comm/group.h"
#include "core/comm/kernel.h"
#include "core/comm/page_pool.h"

namespace tandem {

class Recorder;
class Schedule;

/// Chosen by the strategy; matching is by (source, destination, tag), first posted first matched.
using Tag = int;

inline constexpr int kAnyPeer = -1;

/// A backend's state of one message, collective or kernel in flight.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Whom or what it waits for, for messages: "rank 3", "any rank", "a collective".
  virtual std::string waits_for() const = 0;
};

/// As Operation::waits_for() gives a peer.
std::string peer_name(int peer);

/// Refers to an operation in flight. Empty once it was waited for. The operation keeps the views
/// given to it; dropping a handle that was not waited for leaves their contents undefined.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::shared_ptr<Operation> operation) : operation_(std::move(operation)) {}

  bool empty() const { return operation_ == nullptr; }
  void reset() { operation_.reset(); }
  /// For the backend that made it.
  Operation* get() const { return operation_.get(); }

 private:
  std::shared_ptr<Operation> operation_;
};

/// What a member waits for that waits for any of these, each named once: "rank 1, rank 4".
std::string waits_for(std::span<const Handle> handles);

/// What an operation moved by itself: a message sent or received, of so many bytes, and how many
/// like messages it stands for (Worker::stands_for()). A collective's messages are recorded one by
/// one.
struct Moved {
  enum class What { kNothing, kSent, kReceived };
  What what = What::kNothing;
  std::size_t bytes = 0;
  int count = 1;
  std::uint64_t message = 0;  ///< its Span::message, of a collective too; 0 where nobody counts
};

/// Which operation of a wait_any() completed, and for a receive, from whom the message came (else
/// -1).
struct Completion {
  std::size_t index = 0;
  int peer = -1;
  Moved moved = {};
};

/// One member of a training job, as an algorithm sees it. Blocking style: an actor in the
/// simulation, a rank under MPI, a thread in tests. A Worker is used by one thread, its own; what a
/// backend does in the background is its own affair.
///
/// Waiting and computing are recorded here, in one place, so that both worlds count them alike, and
/// so are messages, by whoever waited for them: a message that arrives early belongs to the
/// iteration that needs it, however fast the wire. Backends implement the do_ functions. So is the
/// memory that its buffers hold, and, where it is asked for, the member's program
/// (record/program.h).
class Worker {
 public:
  virtual ~Worker() = default;

  virtual const Group& group() const = 0;

  /// How many members `rank` stands for, itself included: where a simulation runs one of many that
  /// are all alike, that one stands for all, and the others for none. Who deals with members one by
  /// one leaves these out, and does to that one at once what it would do to all.
  virtual int stands_for(int /*rank*/) const { return 1; }

  /// Zeroed memory of the kind this backend computes in, or a size without data in a run that
  /// models sizes. Counted as held for as long as it lives.
  Buffer allocate(std::size_t elements, DType dtype);

  /// The same, but only its addresses: no part of it is counted as held, nor may be used, before
  /// it was claimed.
  Buffer reserve(std::size_t elements, DType dtype);
  /// What is allocated or reserved from now on is copied by a device.
  void set_mirrors(MakeMirror make_mirror) { make_mirror_ = std::move(make_mirror); }
  /// Takes `view`, a part of a reserved buffer, or of what was released, into use: counts it as
  /// held. Its contents are zero or left over.
  void claim(const View& view);
  /// Gives the memory of `view`, all of which must be held, back: to who claims next, as far as
  /// PagePool keeps it, or to the system. Its contents are lost, its addresses stay. Small parts
  /// stay all the same: give_back_pages().
  void release(const View& view);
  /// Of what was released, what is kept for who claims next.
  std::size_t kept_bytes() const { return pages_.kept_bytes(); }
  /// What this member's buffers hold.
  const MemoryLedger& memory() const { return *memory_; }
  /// The most memory that this member's process has held since the worker was made, above what it
  /// held then: its buffers, its network and whatever else. 0 where that can't be told, as where
  /// members share a process or memory is only modelled.
  virtual std::uint64_t measured_peak_bytes() const { return 0; }

  /// Begins to send `view` to `peer`. Never blocks for long; the view may be changed only after the
  /// handle was waited for.
  ///
  /// Who sends to a peer and receives from it at once asks for the sending first. Where a network
  /// writes messages whole, a clearance that the peer finds before the announcement of the other
  /// message lets it start, and then that one's own clearance stands in the queue behind it, so
  /// that the two go one after the other, in twice the time.
  Handle send(int peer, Tag tag, View view);

  /// As send(), but does not begin before all but one of those that were sent in turn to this peer
  /// have completed: earlier ones arrive earlier, where all at once would share the wire and arrive
  /// together. Who receives them does so in the same order, or all at once. Under one tag they may
  /// be overtaken by those of send().
  Handle send_in_turn(int peer, Tag tag, View view);

  /// Begins to receive exactly view.bytes() from `peer`, or from whoever sends first with kAnyPeer.
  Handle receive(int peer, Tag tag, View view);

  /// Puts a collective in flight over the whole group, or over a part of it
  /// (collectives/subgroup.h). It goes on in the background while this thread computes. A member
  /// runs its collectives one after the other in the order in which it starts them (as a NCCL
  /// communicator does), and any two members start those that both take part in in the same order,
  /// so their messages can't be mistaken for each other.
  Handle start(std::unique_ptr<const Schedule> schedule, View view);

  /// From now on a wait without a timeout of its own that goes on for so long throws Timeout.
  /// kForever, as it is at first: never. Returns what held until now.
  Seconds set_patience(Seconds patience) { return std::exchange(patience_, patience); }

  /// Runs, enqueues or charges a kernel, and records it as computing time.
  Handle compute(const Kernel& kernel);

  /// Blocks until one of the non-empty `handles` has completed, empties that handle, and returns
  /// its index; the earliest in the span where several have. Nothing where `timeout` passed first
  /// (handles stay as they were). Throws PeerLost where a peer of any of them has ended: the handle
  /// whose peer was lost is emptied, the others stay as they were. Throws Timeout where this
  /// member's patience ends first. Requires at least one non-empty handle.
  std::optional<Completion> wait_any(std::span<Handle> handles, Seconds timeout = kForever);

  /// Blocks until `handle` has completed and empties it; an empty handle returns at once. Throws
  /// PeerLost, and empties the handle then too, and Timeout.
  Completion wait(Handle& handle);

  /// Time since the job began, on this member's clock: simulated or real.
  virtual Seconds now() const = 0;

  /// Whether now() goes on while a member works outside of kernels; a simulated clock stands still.
  virtual bool has_real_clock() const { return true; }

  virtual Recorder& record() = 0;

 protected:
  virtual Buffer do_allocate(std::size_t elements, DType dtype) = 0;
  virtual Handle do_send(int peer, Tag tag, View view) = 0;
  virtual Handle do_send_in_turn(int peer, Tag tag, View view) {
    return do_send(peer, tag, std::move(view));
  }
  virtual Handle do_receive(int peer, Tag tag, View view) = 0;
  virtual Handle do_start(std::unique_ptr<const Schedule> schedule, View view) = 0;
  /// Whether the backend does the collective among the devices' copies of what its members have, so
  /// that do_start() is to get the view with its mirror, unsettled. All who take part answer alike.
  virtual bool is_done_on_devices(const Schedule& /*schedule*/, const View& /*view*/) {
    return false;
  }
  /// A wait is about to throw Timeout: what is in flight will not be waited for.
  virtual void give_up() noexcept {}
  virtual Handle do_compute(const Kernel& kernel) = 0;
  virtual std::optional<Completion> do_wait_any(std::span<Handle> handles, Seconds timeout) = 0;

 private:
  Buffer allocate_mirrored(std::size_t elements, DType dtype);

  /// Shared with the buffers, which may outlive the worker.
  std::shared_ptr<MemoryLedger> memory_ = std::make_shared<MemoryLedger>();
  PagePool pages_;          ///< released, to be claimed again
  MakeMirror make_mirror_;  ///< empty where no device computes
  Seconds patience_ = kForever;
};

/// Waits for all of `handles` in turn.
void wait_all(Worker& worker, std::span<Handle> handles);

}  // namespace tandem
