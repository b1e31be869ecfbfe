#pragma once

#include "core/comm/worker.h"

namespace tandem {

/// The Euclidean length of gradients, measured slice by slice in any cut: the sum of squares is
/// exact (base/square_sum.h), so members that each measured a shard put their sums together by an
/// all-reduce of sums() and have the same bits as one that measured the whole.
class GradientNorm {
 public:
  /// `worker` must outlive it.
  explicit GradientNorm(Worker& worker);

  /// Forgets what was measured.
  void clear();

  /// Measures a slice of a floating-point dtype, as one kernel of the worker.
  void measure(View gradients);

  /// The sum so far, kInt64 numbers to be added one by one to those of other members.
  const View& sums() const { return sums_.view(); }

  /// The length squared; infinite where a gradient was infinite or not a number, 0 where the run
  /// models sizes.
  double square() const;

 private:
  Worker& worker_;
  Buffer sums_;
};

}  // namespace tandem
