#pragma once

#include <chrono>

#include "core/base/seconds.h"

namespace tandem::mpi {

/// Monotonic time since it was made.
class Clock {
 public:
  Seconds now() const {
    return std::chrono::duration<Seconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tandem::mpi
