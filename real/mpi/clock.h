#pragma once

#include <chrono>

#include "core/base/seconds.h"
#include "core/record/recorder.h"

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

/// The time for a span, where any are kept; else 0, without a look at the clock.
inline Seconds span_time(const Clock& clock, const Recorder& recorder) {
  return recorder.traces() ? clock.now() : 0;
}

}  // namespace tandem::mpi
