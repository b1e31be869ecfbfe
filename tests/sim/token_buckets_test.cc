#include "sim/token_buckets.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(TokenBuckets, LetWholeTrainsThrough) {
  const TokenBuckets shapers(1'000);
  EXPECT_EQ(shapers.in_trains(4'500, 2'999), 2'000);
  EXPECT_EQ(shapers.in_trains(4'500, 999), 0);
  EXPECT_EQ(shapers.in_trains(900, 700), 700) << "a message of one train";
  EXPECT_EQ(TokenBuckets(0).in_trains(4'500, 2'999), 2'999) << "nobody says how long they are";
}

}  // namespace
}  // namespace tandem
