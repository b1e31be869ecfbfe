#pragma once

#include <exception>
#include <memory>
#include <span>

#include "core/comm/worker.h"
#include "sim/simgrid_compat.h"

namespace tandem {

class Waiter;

/// The simulated world's state of one message or collective.
struct SimOperation final : Operation {
  Waiter* waiter = nullptr;  ///< whom its completion wakes
  bool done = false;
  Seconds completes_at = kForever;  ///< where that is known beforehand
  std::exception_ptr error;         ///< raised by whoever waits for it; done is true then
  int peer = -1;           ///< of a message: the other side; of a matched any-receive, who sent it
  bool unmatched = false;  ///< a message whose other side has not been posted yet
  Moved moved;             ///< once done
  /// Whoever waited for it was told that its peer was lost, or that its collective failed. No data
  /// is moved for it any more.
  bool given_up = false;

  std::string waits_for() const override {
    return unmatched || peer >= 0 ? peer_name(peer) : "a collective";
  }

  /// Marks it done and wakes its waiter.
  void complete(std::exception_ptr failure = nullptr);
};

/// Where an actor sleeps until one of its operations completes.
class Waiter {
 public:
  /// Sleeps until ring() was called `rings` times, or `timeout` has passed. May return early.
  void wait(std::span<const Handle> handles, int rings, Seconds timeout);
  /// Callable from any actor and from the kernel; does nothing where nobody sleeps.
  void ring();
  /// Ends the sleep whatever it still waits for.
  void wake();
  /// What the sleeping actor waits for; empty where it is awake.
  std::span<const Handle> waiting_for() const { return handles_; }

 private:
  simgrid::s4u::SemaphorePtr semaphore_ = simgrid::s4u::Semaphore::create(0);
  std::span<const Handle> handles_;
  int rings_ = 0;
  bool asleep_ = false;
};

inline SimOperation* operation_of(const Handle& handle) {
  return static_cast<SimOperation*>(handle.get());
}

}  // namespace tandem
