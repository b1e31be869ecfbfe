#include "core/collectives/subgroup.h"

#include <gtest/gtest.h>

#include "core/collectives/ring.h"

namespace tandem {
namespace {

TEST(Subgroup, TalksToTheRanksOfTheGroup) {
  const std::vector<int> ranks = {7, 2, 5};
  const auto part = ring_all_reduce(3, 1, 10);
  const auto schedule = subgroup(ring_all_reduce(3, 1, 10), ranks);
  EXPECT_EQ(schedule->name(), "ring");
  EXPECT_EQ(schedule->elements(), 10U);
  ASSERT_EQ(schedule->rounds(), part->rounds());
  for (int k = 0; k < part->rounds(); ++k) {
    const Round here = schedule->round(k);
    const Round there = part->round(k);
    ASSERT_EQ(here.sends.size(), 1U);
    EXPECT_EQ(here.sends[0].peer, 5);
    EXPECT_EQ(here.receives[0].peer, 7);
    EXPECT_EQ(here.sends[0].offset, there.sends[0].offset);
    EXPECT_EQ(here.sends[0].elements, there.sends[0].elements);
    EXPECT_EQ(here.receives[0].action, there.receives[0].action);
  }
}

}  // namespace
}  // namespace tandem
