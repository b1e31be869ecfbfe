#pragma once

#include <atomic>
#include <exception>

#include "core/comm/worker.h"

namespace tandem::mpi {

/// A message or collective in flight: made by the member's thread, completed by whoever drives.
struct Pending : Operation {
  /// Set last: `peer`, `moved` and `error` may be read once it is.
  std::atomic<bool> done = false;
  int peer = -1;  ///< of a receive: who sent it
  Moved moved;
  std::exception_ptr error;
  int awaited = kAnyPeer;  ///< the peer of a message; set before it is in flight

  std::string waits_for() const override { return peer_name(awaited); }

  void complete(int from, std::exception_ptr failure) {
    peer = from;
    error = std::move(failure);
    done.store(true, std::memory_order_release);
  }
  bool is_done() const { return done.load(std::memory_order_acquire); }
};

}  // namespace tandem::mpi
