#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/comm/buffer.h"

namespace tandem::mpi {

/// How a posted message ended.
struct Outcome {
  int source = -1;           ///< of a receive: who sent it
  std::exception_ptr error;  ///< RunError: MPI's own, or a message of another size than expected
  bool cancelled = false;    ///< a receive that was cancelled before a message met it
};

/// MPI requests in flight and what to do when each completes. Used by one thread at a
/// time.
class RequestSet {
 public:
  using OnDone = std::function<void(const Outcome&)>;
  /// Messages of more than `largest_count` bytes go as one message of a compound datatype, since
  /// MPI counts in int.
  explicit RequestSet(std::size_t largest_count = INT_MAX) : largest_count_(largest_count) {}

  /// Keeps the view's memory until the message has ended. A background message is not counted by
  /// in_flight().
  void send(MPI_Comm comm, int peer, int tag, View view, OnDone on_done);
  /// `peer` may be MPI_ANY_SOURCE.
  void receive(MPI_Comm comm, int peer, int tag, View view, OnDone on_done,
               bool background = false);

  /// Lets MPI progress and calls `on_done` of all that have completed, which may post again;
  /// returns how many there were.
  std::size_t test();

  /// Cancels the receives from the peers for which `lost` holds (it is asked about MPI_ANY_SOURCE
  /// too). Those that no message has met yet will end as cancelled.
  void cancel_receives(const std::function<bool(int peer)>& lost);
  /// Gives up the sends to peers for which `lost` holds: each ends with the error that `error`
  /// makes. MPI may write them all the same, so their memory stays for as long as this set.
  void abandon_sends(const std::function<bool(int peer)>& lost,
                     const std::function<std::exception_ptr(int peer)>& error);

  /// The first receive that was posted and is not done, where there is one that is no background
  /// message.
  struct Posted {
    int peer;
    int tag;
  };
  std::optional<Posted> first_receive() const;

  /// Messages posted and not done.
  std::size_t in_flight() const { return live_ - background_; }

 private:
  struct Flight {
    int peer;
    int tag;
    bool receives;
    bool background;
    std::size_t bytes;
    std::shared_ptr<Memory> memory;
    OnDone on_done;
    bool cancel_asked = false;  ///< once only: a second time would confuse Open MPI
  };

  void append(MPI_Request request, Flight&& flight);
  void let_go(std::size_t index);
  void close_up();
  Outcome outcome(const Flight& flight, MPI_Status& status, int code) const;

  std::size_t largest_count_;
  std::size_t live_ = 0;
  std::size_t background_ = 0;         ///< of these
  std::vector<MPI_Request> requests_;  ///< parallel to flights_; null of those that have ended
  std::vector<Flight> flights_;
  std::vector<std::shared_ptr<Memory>> abandoned_;
  std::vector<int> indices_;  ///< for test(), as large as requests_ has ever been
  std::vector<MPI_Status> statuses_;
};

}  // namespace tandem::mpi
