#include "core/collectives/recursive_doubling.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(RecursiveDoubling, IsProved) {
  prove(Collective::kAllReduce, recursive_doubling);
}

TEST(RecursiveDoubling, SendsAllInEachOfLogNRounds) {
  for (int rank = 0; rank < 8; ++rank) {
    const auto schedule = recursive_doubling(8, rank, 800);
    EXPECT_EQ(schedule->rounds(), 3);
    EXPECT_EQ(sent_elements(*schedule), 3U * 800);
  }
}

TEST(RecursiveDoubling, FoldsWhatIsBeyondAPowerOfTwo) {
  // 6 = 4 + 2: ranks 0 and 2 give all they have to 1 and 3, which send the sums back.
  for (int rank = 0; rank < 6; ++rank) {
    const auto schedule = recursive_doubling(6, rank, 800);
    EXPECT_EQ(schedule->rounds(), 4);
    const std::size_t expected = rank >= 4 ? 1600U : (rank % 2 == 0 ? 800U : 2400U);
    EXPECT_EQ(sent_elements(*schedule), expected) << rank;
  }
}

}  // namespace
}  // namespace tandem
