#include "core/faults/slowness.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Slowness, HoldsFromTheBeginOfItsWindowToTheEnd) {
  Slowness slowness;
  slowness.add(2, {.from = 10, .until = 20});
  EXPECT_DOUBLE_EQ(slowness.time(0, 0, 5), 5);
  EXPECT_DOUBLE_EQ(slowness.time(10, 0, 5), 10);
  EXPECT_DOUBLE_EQ(slowness.time(20, 0, 5), 5);
}

// Of 12 s of work from 8 on: 2 s before the window, 5 s in its 10, 5 s after it.
TEST(Slowness, ChangesTheSpeedOfWhatIsGoingOn) {
  Slowness slowness;
  slowness.add(2, {.from = 10, .until = 20});
  EXPECT_DOUBLE_EQ(slowness.time(8, 0, 12), 2 + 10 + 5);
  EXPECT_DOUBLE_EQ(slowness.time(15, 0, 3), 5 + 0.5);
}

TEST(Slowness, OverlappingWindowsMultiply) {
  Slowness slowness;
  slowness.add(2, {.from = 0, .until = 10});
  slowness.add(3, {.from = 5});
  EXPECT_DOUBLE_EQ(slowness.time(5, 0, 0.5), 3);
  EXPECT_DOUBLE_EQ(slowness.time(4, 0, 1), 1 + 0.5 * 6);
  EXPECT_DOUBLE_EQ(slowness.time(100, 0, 1), 3);
}

TEST(Slowness, CountsIterationsWhereTheWindowDoes) {
  Slowness slowness;
  slowness.add(4, {.in_iterations = true, .from = 2, .until = 3});
  EXPECT_DOUBLE_EQ(slowness.time(2.5, 1, 1), 1);
  EXPECT_DOUBLE_EQ(slowness.time(0, 2, 1), 4);
  EXPECT_DOUBLE_EQ(slowness.time(0, 3, 1), 1);
}

}  // namespace
}  // namespace tandem
