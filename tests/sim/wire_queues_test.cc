#include "sim/wire_queues.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(WireQueues, HaveRoomForTwoTrainsThatLeaveInTime) {
  const WireQueues queues(1e-3, 2 * 1'000);
  EXPECT_EQ(queues.room(1e9), 2'000);
  EXPECT_EQ(queues.room(1e6), 1'000);
}

}  // namespace
}  // namespace tandem
