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

  /// Of a job of so many iterations: what a member sends after the last is in none.
  TracedIterations within(int iterations) const {
    const int left = iterations > first ? (iterations - first - 1) / every + 1 : 0;
    return {.first = first, .count = count < left ? count : left, .every = every};
  }
};

}  // namespace tandem
