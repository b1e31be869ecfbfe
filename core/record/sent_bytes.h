#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/record/recorder.h"

namespace tandem {

/// What the members of a job have sent together by a number of iterations, where of the first of
/// those, which others did, the sum alone is known.
class SentBytes {
 public:
  SentBytes(int iterations_before, std::uint64_t bytes_before)
      : before_(iterations_before), sums_{bytes_before} {}

  /// Those of one more member, which come after those before.
  void add(const std::vector<IterationRecord>& iterations) {
    sums_.resize(std::max(sums_.size(), iterations.size() + 1), sums_.back());
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      if (i <= iterations.size()) sum += iterations[i - 1].traffic.sent_bytes;
      sums_[i] += sum;
    }
  }

  /// In the training's first `iterations`, of which there are at least those before.
  std::uint64_t until(int iterations) const {
    const auto recorded = static_cast<std::size_t>(std::max(0, iterations - before_));
    return sums_[std::min(recorded, sums_.size() - 1)];
  }

 private:
  int before_;
  std::vector<std::uint64_t> sums_;  ///< by how many iterations more
};

}  // namespace tandem
