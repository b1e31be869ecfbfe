#include "core/collectives/linear.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(Linear, IsProved) {
  prove(Collective::kAllReduce, linear_all_reduce);
}

TEST(Linear, SendsAllToRank0AndBack) {
  EXPECT_EQ(sent_elements(*linear_all_reduce(6, 0, 800)), 5U * 800);
  for (int rank = 1; rank < 6; ++rank) {
    const auto schedule = linear_all_reduce(6, rank, 800);
    EXPECT_EQ(schedule->rounds(), 2);
    EXPECT_EQ(sent_elements(*schedule), 800U);
  }
}

}  // namespace
}  // namespace tandem
