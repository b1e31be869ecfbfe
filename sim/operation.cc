#include "sim/operation.h"

namespace tandem {

void SimOperation::complete(std::exception_ptr failure) {
  done = true;
  error = std::move(failure);
  if (waiter != nullptr) waiter->ring();
}

void Waiter::wait(std::span<const Handle> handles, int rings, Seconds timeout) {
  // Also when the actor is killed in its sleep, which unwinds its stack.
  struct Awake {
    Waiter& waiter;
    ~Awake() {
      waiter.asleep_ = false;
      waiter.handles_ = {};
    }
  } awake{*this};
  handles_ = handles;
  rings_ = rings;
  asleep_ = true;
  if (timeout == kForever) {
    semaphore_->acquire();
  } else {
    semaphore_->acquire_timeout(timeout);
  }
}

void Waiter::ring() {
  if (asleep_ && --rings_ <= 0) wake();
}

void Waiter::wake() {
  if (!asleep_) return;
  asleep_ = false;
  semaphore_->release();
}

}  // namespace tandem
