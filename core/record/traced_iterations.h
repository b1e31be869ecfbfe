#pragma once

namespace tandem {

/// Iterations, counted from 0, of which spans are kept: `count` of them from `first` on, each
/// `every` after the one before.
struct TracedIterations {
  int first = 0;
  int count = 0;
  int every = 1;

  bool contains(int iteration) const {
    const int after = iteration - first;
    return after >= 0 && after % every == 0 && after / every < count;
  }
};

}  // namespace tandem
