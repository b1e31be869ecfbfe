#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/network/segments.h"
#include "core/record/recorder.h"

namespace tandem {

/// All ranks' parts of one collective, by rank.
using Schedules = std::span<const std::unique_ptr<const Schedule>>;

/// The same rounds of all ranks, by rank.
using Stretches = std::vector<Stretch>;

int most_rounds(Schedules schedules);

/// Reads the rounds from k on that are alike for every rank, `most` or fewer, and says how many.
int read_stretches(Schedules schedules, int k, int most, Stretches& stretches);

/// The largest of `pieces` near-equal pieces that add up to `sum`, and the smallest.
inline std::size_t largest_of(std::size_t sum, int pieces) {
  return (sum + pieces - 1) / pieces;
}
inline std::size_t smallest_of(std::size_t sum, int pieces) {
  return sum / pieces;
}

/// The packets of `pieces` near-equal messages that add up to `sum` elements.
inline std::uint64_t packets_of(std::size_t sum, std::size_t pieces, std::size_t element_bytes) {
  const std::size_t smallest = sum / pieces;
  const std::size_t larger = sum % pieces;
  return larger * segments((smallest + 1) * element_bytes) +
         (pieces - larger) * segments(smallest * element_bytes);
}

/// That a rank adds in these rounds.
std::size_t elements_to_add(const Round& sum);

/// The largest and the smallest of some pieces, and whether they differ by no more than the one
/// element by which near-equal chunks do.
struct Sizes {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  std::size_t largest = 0;
  void add(std::size_t size) {
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
  }
  bool alike() const { return largest <= smallest + 1; }
};

/// Of the messages of a round.
Sizes sizes_of(const Stretches& stretches);

}  // namespace tandem
