#pragma once

#include <algorithm>

#include "core/base/seconds.h"

namespace tandem::mpi {

/// How long to leave the core alone between two looks at what is in flight. Right after something
/// happened, more is likely soon and a sleep would cost more than it frees: yield and look again.
/// From then on sleep for a fixed share of the time already waited, so that a wait is never
/// lengthened by more than that share, and a long one costs next to nothing.
class Backoff {
 public:
  static constexpr Seconds kSpin = 100e-6;
  static constexpr Seconds kShare = 1.0 / 32;
  static constexpr Seconds kShortest = 10e-6;
  static constexpr Seconds kLongest = 1e-3;

  void happened(Seconds now) { last_ = now; }

  /// 0 means: yield only.
  Seconds pause(Seconds now) const {
    const Seconds quiet = now - last_;
    return quiet < kSpin ? 0 : std::clamp(quiet * kShare, kShortest, kLongest);
  }

 private:
  Seconds last_ = 0;
};

}  // namespace tandem::mpi
