#include "core/collectives/halving_doubling.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(HalvingDoubling, IsProved) {
  prove(Collective::kAllReduce, halving_doubling);
}

TEST(HalvingDoubling, SendsAsMuchAsTheRingInTwoLogNRounds) {
  for (int rank = 0; rank < 8; ++rank) {
    const auto schedule = halving_doubling(8, rank, 800);
    EXPECT_EQ(schedule->rounds(), 6);
    EXPECT_EQ(sent_elements(*schedule), 2U * 7 * 100);
  }
}

TEST(HalvingDoubling, FoldsWhatIsBeyondAPowerOfTwo) {
  // 11 = 8 + 3: ranks 0, 2, 4 give all they have to 1, 3, 5, which send the sums back.
  for (int rank = 0; rank < 11; ++rank) {
    const auto schedule = halving_doubling(11, rank, 800);
    EXPECT_EQ(schedule->rounds(), 8);
    const bool pair = rank < 6;
    const std::size_t expected = pair && rank % 2 == 0 ? 800U : 1400U + (pair ? 800U : 0U);
    EXPECT_EQ(sent_elements(*schedule), expected) << rank;
  }
}

}  // namespace
}  // namespace tandem
