#include "core/command/chosen_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/command/sweep.h"

namespace tandem {
namespace {

using testing::ElementsAre;

TEST(ChosenPoints, AreNumbersAndRangesFromOne) {
  EXPECT_THAT(chosen_points("3,7-9", 9), ElementsAre(2, 6, 7, 8));
  EXPECT_THAT(chosen_points("2-3,1,3", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen_points("", 3), ElementsAre());
}

TEST(ChosenPoints, RefuseWhatIsNone) {
  for (const char* text : {"0", "4", "1-4", "3-2", "a", "1,,2", "1,", ",", "-1", "1-", " 1",
                           "1-2-3", "99999999999999999999"})
    EXPECT_THROW(chosen_points(text, 3), InputError) << text;
  try {
    chosen_points("7", 3);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--points 7: there is no point 7: the sweep has 3; give numbers from 1 to 3, such "
                 "as 1 or 1,3-4");
  }
}

TEST(PointRanges, JoinNeighbours) {
  EXPECT_EQ(point_ranges({0, 1, 2, 6, 8, 9}), "1-3,7,9-10");
  EXPECT_EQ(point_ranges({}), "");
}

}  // namespace
}  // namespace tandem
