#include "core/explain/max_min.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(MaxMin, GivesWhatOneCannotUseToTheOthers) {
  Flow capped{.links = {0}, .cap = 1}, shared{.links = {0, 1}}, alone{.links = {1}};
  share_links({10, 12}, {&capped, &shared, &alone});
  EXPECT_DOUBLE_EQ(capped.rate, 1);
  EXPECT_DOUBLE_EQ(shared.rate, 6);
  EXPECT_DOUBLE_EQ(alone.rate, 6);
  EXPECT_EQ(capped.bound_by, -1);
  EXPECT_EQ(shared.bound_by, 1);
}

TEST(MaxMin, GivesLessToLongerWays) {
  Flow near{.links = {0}, .penalty = 1}, far{.links = {0}, .penalty = 3};
  Flow farther{.links = {0}, .cap = 1, .penalty = 4};
  share_links({13}, {&near, &far, &farther});
  EXPECT_DOUBLE_EQ(farther.rate, 1);  // of whose share of 52 / 19 the others have the rest
  EXPECT_DOUBLE_EQ(near.rate, 9);
  EXPECT_DOUBLE_EQ(far.rate, 3);
}

TEST(MaxMin, EndsWhereRoundingLosesAShare) {
  Flow dominant{.links = {0}, .cap = 1, .penalty = 1e-17};
  Flow capped{.links = {0}, .cap = 1, .penalty = 1.0 / 7}, others[2] = {capped, capped};
  for (Flow& other : others) other.cap = 100;
  share_links({10}, {&dominant, &capped, &others[0], &others[1]});
  EXPECT_DOUBLE_EQ(dominant.rate, 1);
  EXPECT_DOUBLE_EQ(capped.rate, 1);
  for (const Flow& other : others) EXPECT_GT(other.rate, 0);
}

}  // namespace
}  // namespace tandem
