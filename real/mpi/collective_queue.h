#pragma once

#include <mpi.h>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "core/collectives/execution.h"
#include "core/comm/worker.h"
#include "core/record/recorder.h"
#include "real/mpi/clock.h"
#include "real/mpi/request_set.h"

namespace tandem::mpi {

/// A member's collectives, run one after the other on a communicator of their own. Driven by the
/// completions of the messages it posts to `requests`; used by the thread that tests those. After
/// one has failed the members no longer agree on where they are, so all later ones end at once with
/// the same error.
class CollectiveQueue {
 public:
  /// Called with nullptr, or with what went wrong.
  using OnDone = std::function<void(std::exception_ptr)>;

  /// All must outlive it.
  CollectiveQueue(MPI_Comm comm, RequestSet& requests, Recorder& recorder, const Clock& clock)
      : comm_(comm), requests_(requests), recorder_(recorder), clock_(clock) {}

  void push(std::unique_ptr<const Schedule> schedule, View view, OnDone on_done);

  /// From whom the collective that is running receives in its round, for any thread to read.
  const std::atomic<int>& sender() const { return sender_; }

 private:
  struct Waiting {
    std::unique_ptr<const Schedule> schedule;
    View view;
    OnDone on_done;
  };
  /// The one that is running.
  struct Running {
    ScheduleExecution execution;
    View view;
    OnDone on_done;
    Seconds begin;
    std::size_t outstanding = 0;  ///< messages of this round
    std::exception_ptr error;     ///< the first of this round
  };

  void begin_next();
  void advance();
  void post_round();
  void message_done(const Outcome& outcome);
  void finish();
  Buffer scratch(std::size_t elements, DType dtype);

  MPI_Comm comm_;
  RequestSet& requests_;
  Recorder& recorder_;
  const Clock& clock_;
  std::deque<Waiting> waiting_;
  std::optional<Running> running_;
  std::exception_ptr broken_;  ///< why the first failed
  std::atomic<int> sender_ = kAnyPeer;
  Buffer scratch_;  ///< kept from one collective to the next: fresh pages cost more than the adding
};

}  // namespace tandem::mpi
