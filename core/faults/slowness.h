#pragma once

#include <vector>

#include "core/base/seconds.h"
#include "core/scenario/faults.h"

namespace tandem {

/// When a member's device takes longer than at its full speed.
class Slowness {
 public:
  /// In `window` everything takes `factor` times as long. Windows that overlap multiply.
  void add(double factor, const FaultWindow& window) { spans_.push_back({factor, window}); }

  /// How long `work`, in seconds at full speed, takes from `now` on, in the member's iteration
  /// `iteration`. The speed changes at once where a window begins or ends within it.
  Seconds time(Seconds now, int iteration, Seconds work) const;

 private:
  struct Span {
    double factor;
    FaultWindow window;
  };

  double factor(Seconds now, int iteration) const;
  /// When the next window begins or ends after `now`.
  Seconds next_change(Seconds now) const;

  std::vector<Span> spans_;
};

}  // namespace tandem
