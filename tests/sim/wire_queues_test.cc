#include "sim/wire_queues.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(WireQueues, LetWholeTrainsThrough) {
  const WireQueues queues(1e-3, 2 * 1'000);
  EXPECT_EQ(queues.in_trains(4'500, 2'999), 2'000);
  EXPECT_EQ(queues.in_trains(4'500, 999), 0);
  EXPECT_EQ(queues.in_trains(900, 700), 700) << "a message of one train";
  EXPECT_EQ(WireQueues(1e-3, 0).in_trains(4'500, 2'999), 2'999) << "nobody says how long they are";
}

TEST(WireQueues, HaveRoomForTwoTrainsThatLeaveInTime) {
  const WireQueues queues(1e-3, 2 * 1'000);
  EXPECT_EQ(queues.room(1e9), 2'000);
  EXPECT_EQ(queues.room(1e6), 1'000);
}

}  // namespace
}  // namespace tandem
