#pragma once

#include <array>
#include <cstdint>

#include "core/collectives/sums.h"
#include "real/cuda/engine.h"
#include "real/cuda/kernels/numbers.h"

namespace tandem::cuda {

/// As many ranks' buffers, and as high a stack, as a kernel forms sums of.
inline constexpr int kMostRanks = 16;
inline constexpr int kMostDepth = 6;
inline constexpr std::size_t kMostSteps = std::size_t{2} * kMostRanks;

/// Forms a sum of what the ranks' buffers have, in the bits of form() (core/collectives/sums.h),
/// and leaves it in all of them. One item a stretch of 16 bytes, or where the buffers are `kWidth`
/// 1, of an element.
template <typename T, int kWidth>
struct FormSum {
  std::array<T*, kMostRanks> buffers;
  int ranks;
  std::array<SumStep, kMostSteps> steps;  ///< a Sum's, of which the first pushes
  int step_count;

  TANDEM_DEVICE void operator()(int item) const {
    using Numbers = Pack<T, kWidth>;
    const std::int64_t at = std::int64_t(item) * kWidth;
    const auto load = [&](int rank) { return Numbers::at(buffers[rank] + at); };
    const auto add = [](Numbers& to, const Numbers& from) {
      TANDEM_UNROLL
      for (int i = 0; i < kWidth; ++i) to.set(i, to[i] + from[i]);
    };
    Numbers top = load(steps[0].rank), below[kMostDepth];
    int height = 0;
    for (int k = 1; k < step_count; ++k) {
      const SumStep step = steps[k];
      if (step.kind == SumStep::Kind::kAdd) {
        add(top, load(step.rank));
      } else if (step.kind == SumStep::Kind::kPush) {
        below[height++] = top;
        top = load(step.rank);
      } else {
        add(top, below[--height]);
      }
    }
    for (int rank = 0; rank < ranks; ++rank) Numbers::at(buffers[rank] + at) = top;
  }
};

}  // namespace tandem::cuda
