#include "core/comm/turns.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Turns, TwoOfEachWayAreUnderWayAndTheOthersFollowInOrder) {
  Turns<int, char> turns;
  EXPECT_EQ(turns.admit(1, 'a'), 'a');
  EXPECT_EQ(turns.admit(1, 'b'), 'b');
  EXPECT_FALSE(turns.admit(1, 'c'));
  EXPECT_FALSE(turns.admit(1, 'd'));
  EXPECT_EQ(turns.admit(2, 'e'), 'e');
  EXPECT_EQ(turns.arrived(1), 'c');
  EXPECT_EQ(turns.arrived(1), 'd');
  EXPECT_FALSE(turns.arrived(1));
  EXPECT_EQ(turns.admit(1, 'f'), 'f');
  EXPECT_FALSE(turns.admit(1, 'g'));
  EXPECT_EQ(turns.arrived(1), 'g');
}

}  // namespace
}  // namespace tandem
