#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
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

inline void expect_alike(const Round& round, const Stretch& stretch, std::size_t smallest,
                         const std::string& where) {
  ASSERT_EQ(round.sends.size(), stretch.sum.sends.size()) << where;
  ASSERT_EQ(round.receives.size(), stretch.sum.receives.size()) << where;
  for (std::size_t i = 0; i < round.sends.size(); ++i) {
    EXPECT_EQ(round.sends[i].peer, stretch.sum.sends[i].peer) << where;
    const std::size_t least = stretch.sum.sends[i].elements / stretch.rounds;
    EXPECT_GE(round.sends[i].elements, std::max(least, smallest)) << where;
    EXPECT_LE(round.sends[i].elements, least + 1) << where;
    if (stretch.sent_by_all) {
      EXPECT_LE(round.sends[i].elements, smallest + 1) << where;
    }
  }
  for (std::size_t i = 0; i < round.receives.size(); ++i) {
    EXPECT_EQ(round.receives[i].peer, stretch.sum.receives[i].peer) << where;
    EXPECT_EQ(round.receives[i].action, stretch.sum.receives[i].action) << where;
  }
  if (stretch.sent_by_all) {
    EXPECT_EQ(round.sends.size(), 1U) << where;
    EXPECT_EQ(round.receives.size(), 1U) << where;
  }
}

/// Checks what the schedules say of their stretches against their rounds, from every round on.
inline void prove_stretches(const ScheduleFactory& factory, int ranks, std::size_t elements,
                            int most) {
  std::vector<std::unique_ptr<const Schedule>> schedules;
  for (int rank = 0; rank < ranks; ++rank) schedules.push_back(factory(ranks, rank, elements));
  int most_rounds = 0;
  for (const auto& schedule : schedules) most_rounds = std::max(most_rounds, schedule->rounds());
  for (int k = 0; k < most_rounds; ++k) {
    std::size_t sent_by_all = 0;
    std::optional<std::size_t> claimed;
    if (k < schedules[0]->rounds()) claimed = schedules[0]->stretch(k, most).sent_by_all;
    for (int rank = 0; rank < ranks; ++rank) {
      const Schedule& schedule = *schedules[rank];
      if (k >= schedule.rounds()) continue;
      const Stretch stretch = schedule.stretch(k, most);
      const std::string where = "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                                ", round " + std::to_string(k) + ", " + std::to_string(elements);
      ASSERT_GE(stretch.rounds, 1) << where;
      ASSERT_LE(stretch.rounds, std::min(most, schedule.rounds() - k)) << where;
      EXPECT_EQ(stretch.sent_by_all, claimed) << where;
      Round sum = stretch.sum;
      for (int i = 0; i < stretch.rounds; ++i) {
        const Round round = schedule.round(k + i);
        std::size_t smallest = 0;
        if (claimed) smallest = *claimed / stretch.rounds / ranks;
        expect_alike(round, stretch, smallest, where);
        for (std::size_t j = 0; j < sum.sends.size(); ++j) {
          sum.sends[j].elements -= round.sends[j].elements;
          sent_by_all += round.sends[j].elements;
        }
        for (std::size_t j = 0; j < sum.receives.size(); ++j)
          sum.receives[j].elements -= round.receives[j].elements;
      }
      for (const SendPiece& piece : sum.sends) EXPECT_EQ(piece.elements, 0U) << where;
      for (const ReceivePiece& piece : sum.receives) EXPECT_EQ(piece.elements, 0U) << where;
    }
    if (claimed) {
      EXPECT_EQ(*claimed, sent_by_all) << ranks << " ranks, round " << k;
    }
  }
}

/// Proves `factory` for those, with buffers smaller than, as large as and larger than the ranks.
inline void prove(Collective collective, const ScheduleFactory& factory) {
  for (const int ranks : awkward_rank_counts()) {
    const auto n = static_cast<std::size_t>(ranks);
    for (const std::size_t elements :
         {std::size_t{0}, std::size_t{1}, n / 2, n - 1, n, n + 1, 3 * n + 2, 7 * n + 5}) {
      const auto failure = check_collective(collective, factory, ranks, elements);
      EXPECT_FALSE(failure) << ranks << " ranks, " << elements << " elements: " << *failure;
      for (const int most : {1, 3, 1000}) prove_stretches(factory, ranks, elements, most);
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
