#include "core/strategies/tournament.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace tandem {
namespace {

class Tournament : public testing::TestWithParam<int> {};

TEST_P(Tournament, PairsAreDisjointAndMutual) {
  const int players = GetParam();
  for (int round = 0; round < 3 * players; ++round) {
    for (int player = 0; player < players; ++player) {
      const auto partner = tournament_partner(players, player, round);
      if (!partner) continue;
      ASSERT_GE(*partner, 0);
      ASSERT_LT(*partner, players);
      EXPECT_NE(*partner, player);
      EXPECT_EQ(tournament_partner(players, *partner, round), player) << "round " << round;
    }
  }
}

TEST_P(Tournament, AnyTwoMeetOnceAndEachSitsOutAsOftenAsItMust) {
  const int players = GetParam();
  std::map<std::pair<int, int>, int> meetings;
  for (int player = 0; player < players; ++player) {
    int sat_out = 0;
    for (int round = 0; round < tournament_rounds(players); ++round) {
      const auto partner = tournament_partner(players, player, round);
      partner ? ++meetings[{player, *partner}] : ++sat_out;
    }
    EXPECT_EQ(sat_out, players % 2) << player;
  }
  EXPECT_EQ(meetings.size(), static_cast<std::size_t>(players * (players - 1)));
  for (const auto& [pair, times] : meetings) EXPECT_EQ(times, 1) << pair.first << pair.second;
}

INSTANTIATE_TEST_SUITE_P(Players, Tournament, testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 33));

}  // namespace
}  // namespace tandem
