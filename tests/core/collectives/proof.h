#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/collectives/checker.h"

namespace tandem {

/// Rank counts with every shape of tree and ring: all small ones, and those around a power of two.
inline std::vector<int> awkward_rank_counts() {
  std::vector<int> counts;
  for (int ranks = 1; ranks <= 17; ++ranks) counts.push_back(ranks);
  for (const int ranks : {31, 32, 33}) counts.push_back(ranks);
  return counts;
}

/// Proves `factory` for those, with buffers smaller than, as large as and larger than the ranks.
inline void prove(Collective collective, const ScheduleFactory& factory) {
  for (const int ranks : awkward_rank_counts()) {
    const auto n = static_cast<std::size_t>(ranks);
    for (const std::size_t elements :
         {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n, n + 1, 3 * n + 2, 7 * n + 5}) {
      const auto failure = check_collective(collective, factory, ranks, elements);
      EXPECT_FALSE(failure) << ranks << " ranks, " << elements << " elements: " << *failure;
    }
  }
}

/// Elements that one rank sends, over all rounds.
inline std::size_t sent_elements(const Schedule& schedule) {
  std::size_t sent = 0;
  for (int k = 0; k < schedule.rounds(); ++k) {
    for (const SendPiece& piece : schedule.round(k).sends) sent += piece.elements;
  }
  return sent;
}

}  // namespace tandem
