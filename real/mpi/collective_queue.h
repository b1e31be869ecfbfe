#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <boost/container/small_vector.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/collectives/execution.h"
#include "core/collectives/sliced.h"
#include "core/comm/worker.h"
#include "core/record/recorder.h"
#include "real/mpi/clock.h"
#include "real/mpi/collective_plans.h"
#include "real/mpi/device_collectives.h"
#include "real/mpi/pending.h"
#include "real/mpi/request_set.h"
#include "real/mpi/shared/small_collective.h"

namespace tandem::mpi {

/// What runs by messages: all of a collective, or a slice.
struct CollectivePart {
  std::unique_ptr<const Schedule> slice;  ///< null where it is all
  ScheduleExecution execution;
  std::size_t outstanding = 0;  ///< messages of this round

  /// As ScheduleExecution's.
  CollectivePart(const Schedule& all, const View& view, View scratch, std::span<const Round> kept)
      : execution(all, view, std::move(scratch), kept) {}
  CollectivePart(std::unique_ptr<const Schedule> slice_of_all, const View& view, View scratch)
      : slice(std::move(slice_of_all)), execution(*slice, view, std::move(scratch)) {}
};

/// A collective that a member has started. Until it is done it is the queue's.
struct Collective final : Pending {
  /// `device` does it, where that has something; `sender` is CollectiveQueue's.
  Collective(std::unique_ptr<const Schedule> schedule, View view, DeviceCollective device,
             const std::atomic<int>& sender)
      : schedule(std::move(schedule)),
        view(std::move(view)),
        device(std::move(device)),
        sender(sender) {}

  std::string waits_for() const override { return peer_name(sender) + " in a collective"; }

  std::unique_ptr<const Schedule> schedule;
  View view;
  DeviceCollective device;
  const std::atomic<int>& sender;

  // While it runs; `error` is the first then.
  CollectivePlan* plan = nullptr;
  Seconds begin = 0;
  bool device_computes = false;  ///< what the next round takes
  boost::container::small_vector<CollectivePart, 1> parts = {};
};

/// A member's collectives, run one after the other: by devices where they are told to, in memory
/// where all who take part share a host, else by messages on a communicator of their own, large
/// ones in slices beside each other. Driven by step() and by the completions of the messages it
/// posts to `requests`; used by whichever thread tests those. After one has failed the members no
/// longer agree on where they are, so all later ones end at once with the same error.
class CollectiveQueue {
 public:
  /// All must outlive it. `size` is the group's. All ranks say alike whether they are `crowded`:
  /// have fewer cores than there are ranks, so that to wait for each other takes long.
  CollectiveQueue(MPI_Comm comm, int size, Node& node, bool crowded, RequestSet& requests,
                  Recorder& recorder, const Clock& clock)
      : comm_(comm),
        requests_(requests),
        recorder_(recorder),
        clock_(clock),
        node_(node),
        plans_([&node](int rank) { return node.has(rank); }),
        slots_(node, crowded),
        begun_(size, 0) {}

  /// Its `moved` tells its Span::message.
  void push(std::shared_ptr<Collective> collective);

  /// Goes on with what no message tells of; whether there was anything to do.
  bool step();
  /// Whether one is running that step() has to be called for.
  bool needs_steps() const { return is_stepped() || (running_ && running_->device_computes); }
  /// Ends the one that is running without messages if it waits for a rank for which `lost` holds.
  void give_up_on(const std::function<bool(int peer)>& lost);

  /// For whom the collective that is running waits, for any thread to read.
  const std::atomic<int>& sender() const { return sender_; }

 private:
  bool is_stepped() const { return running_ && running_->device.stepped; }
  void begin(std::shared_ptr<Collective> collective);
  void begin_next();
  void begin_stepped();
  bool step_device();
  std::unique_ptr<SteppedCollective> in_memory(const std::shared_ptr<const DirectPlan>& plan);
  void begin_by_messages();
  View landing(int slice, std::size_t elements);
  void advance(int slice);
  void post_round(int slice);
  void message_done(int slice, const Outcome& outcome);
  void finish_round(int slice);
  void fail();
  bool all_have_ended() const;
  void finish();
  View scratch(int slice, std::size_t elements, DType dtype);

  MPI_Comm comm_;
  RequestSet& requests_;
  Recorder& recorder_;
  const Clock& clock_;
  const Node& node_;
  CollectivePlans plans_;
  Slots slots_;
  std::vector<std::uint64_t> begun_;  ///< in memory, with each other member of this host
  std::deque<std::shared_ptr<Collective>> waiting_;  ///< only while one is running
  std::shared_ptr<Collective> running_;
  std::exception_ptr broken_;   ///< why the first failed
  std::vector<View> given_up_;  ///< others, or MPI, may still read and write these
  std::atomic<int> sender_ = kAnyPeer;
  /// By slice; kept from one collective to the next: fresh pages cost more than the adding.
  std::array<Buffer, kSlices> scratch_;
};

}  // namespace tandem::mpi
