#include "core/faults/arrivals.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TrafficSpec messages(bool poisson) {
  TrafficSpec traffic{.source = "a", .destination = "b"};
  traffic.bytes = 1000;
  traffic.every = 0.5;
  traffic.poisson = poisson;
  traffic.window.from = 3;
  return traffic;
}

TEST(Arrivals, RegularOnesComeFromTheWindowsBeginOn) {
  Arrivals arrivals(messages(false), 1, 0);
  EXPECT_DOUBLE_EQ(arrivals.next(), 3);
  EXPECT_DOUBLE_EQ(arrivals.next(), 3.5);
  EXPECT_DOUBLE_EQ(arrivals.next(), 4);
}

TEST(Arrivals, RandomOnesAreTheSameForASeedAndOtherwiseAsOften) {
  Arrivals one(messages(true), 7, 2), same(messages(true), 7, 2), other(messages(true), 7, 3);
  constexpr int kCount = 10'000;
  Seconds last = 3, differ = 0;
  for (int i = 0; i < kCount; ++i) {
    const Seconds due = one.next();
    EXPECT_GT(due, last);
    EXPECT_EQ(due, same.next());
    differ += due != other.next() ? 1 : 0;
    last = due;
  }
  EXPECT_EQ(differ, kCount);
  // The mean of n exponential gaps has a standard deviation of 1/sqrt(n) of theirs: five of them.
  EXPECT_NEAR((last - 3) / kCount, 0.5, 5 * 0.5 / 100);
}

// As where the job is started anew.
TEST(Arrivals, ThoseBeforeATimeAreLeftOutAndTheOthersStay) {
  Arrivals all(messages(true), 7, 2), rest(messages(true), 7, 2, 20);
  Seconds due = all.next();
  while (due < 20) due = all.next();
  for (int i = 0; i < 10; ++i, due = all.next()) EXPECT_EQ(rest.next(), due);
}

}  // namespace
}  // namespace tandem
