#include "sim/wire_queues.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(WireQueues, HaveRoomForTwoTrainsThatLeaveInTime) {
  const WireQueues queues(1e-3, 2 * 1'000);
  EXPECT_EQ(queues.room(1e9), 2'000);
  EXPECT_EQ(queues.room(1e6), 1'000);
}

TEST(WireQueues, TakeThreeTrainsOfAMessageAtATime) {
  const WireQueues queues(1e-3, 2 * 1'000);
  constexpr double kFast = 1e9;
  EXPECT_EQ(queues.portion(10'500, 0, kFast), 3'000);
  EXPECT_EQ(queues.portion(10'500, 1'999, kFast), 4'000) << "one train passes at once";
  EXPECT_EQ(queues.portion(2'500, 0, kFast), 2'000) << "the last waits for those before it";
  EXPECT_EQ(queues.portion(500, 0, kFast), 500);
  EXPECT_EQ(queues.portion(2'500, 2'000, kFast), 2'500) << "which have passed";
  EXPECT_EQ(queues.portion(10'500, 0, 1e6), 1'000) << "that leave in time";
  EXPECT_EQ(queues.portion(10'500, 0, 0.6e6), 1'000) << "one at least";
  EXPECT_EQ(queues.portion(10'500, 0, 0), 1'000);
  EXPECT_EQ(WireQueues(1e-3, 0).portion(10'500, 0, kFast), 10'500)
      << "nobody says how long they are";
}

}  // namespace
}  // namespace tandem
