#include "core/base/interpolate.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace tandem {
namespace {

TEST(Interpolate, GoesStraightBetweenPointsAndStaysBeyondThem) {
  const std::map<int, double> points = {{10, 1}, {20, 3}, {40, -1}};
  EXPECT_EQ(interpolate(points, 5), 1);
  EXPECT_EQ(interpolate(points, 10), 1);
  EXPECT_EQ(interpolate(points, 15), 2);
  EXPECT_EQ(interpolate(points, 20), 3);
  EXPECT_EQ(interpolate(points, 30), 1);
  EXPECT_EQ(interpolate(points, 41), -1);
}

TEST(Interpolate, HasOnePointEverywhere) {
  const std::map<std::size_t, double> points = {{10, 1.5}};
  for (const std::size_t x : {0UL, 10UL, 11UL}) EXPECT_EQ(interpolate(points, x), 1.5);
}

}  // namespace
}  // namespace tandem
