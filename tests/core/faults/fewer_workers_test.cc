#include "core/faults/fewer_workers.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(FewerWorkers, MakeUpForWhatIsLeft) {
  EXPECT_EQ(iterations_of_fewer(10, 4, 4), 10);
  EXPECT_EQ(iterations_of_fewer(10, 2, 4), 20);
  EXPECT_EQ(iterations_of_fewer(10, 3, 4), 14);  // 13.3
  EXPECT_EQ(iterations_of_fewer(3 * (1.0 / 3), 1, 1), 1) << "no more for a rounding";
  EXPECT_EQ(iterations_of_fewer(0.1 + 0.2, 3, 10), 1) << "sums of shares are not exact";
}

TEST(FewerWorkers, TakePartInWholeGroups) {
  EXPECT_EQ(whole_groups(7, 1), 7);
  EXPECT_EQ(whole_groups(7, 3), 6);
  EXPECT_EQ(whole_groups(2, 3), 0);
}

TEST(FewerWorkers, AreTooFewBelowTheLargerBound) {
  RecoverySpec recovery;
  recovery.min_workers = 2;
  EXPECT_FALSE(too_few_for(2, 1, recovery));
  EXPECT_EQ(too_few_for(1, 1, recovery), "faults.recovery.min_workers, which is 2");
  EXPECT_EQ(too_few_for(2, 3, recovery), "the 3 stages of a pipeline");
  EXPECT_FALSE(too_few_for(3, 3, recovery));
}

}  // namespace
}  // namespace tandem
