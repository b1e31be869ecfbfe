#include "core/collectives/double_binary_tree.h"

#include <bit>

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(DoubleBinaryTree, IsProvedForSegmentsOfAnySize) {
  for (const std::size_t segment : {1UL, 5UL, 1000UL}) {
    prove(Collective::kAllReduce, double_binary_tree(segment));
  }
}

TEST(DoubleBinaryTree, SendsAndReceivesOneMessageARoundAtMost) {
  for (int ranks = 2; ranks <= 70; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      const auto schedule = double_binary_tree(10)(ranks, rank, 100);
      for (int k = 0; k < schedule->rounds(); ++k) {
        const Round round = schedule->round(k);
        ASSERT_LE(round.sends.size(), 1U) << ranks << " ranks, rank " << rank << ", round " << k;
        ASSERT_LE(round.receives.size(), 1U) << ranks << " ranks, rank " << rank << ", round " << k;
      }
    }
  }
}

TEST(DoubleBinaryTree, SendsTwoTimesNMinusOneBuffersInAllAndTwoARankAtMost) {
  for (const int ranks : {2, 3, 7, 8, 33}) {
    std::size_t sent = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const std::size_t own = sent_elements(*double_binary_tree(10)(ranks, rank, 1000));
      EXPECT_LE(own, 2000U);
      sent += own;
    }
    EXPECT_EQ(sent, 2000U * (ranks - 1));
  }
}

TEST(DoubleBinaryTree, TakesAboutFourLogNAndFourSegmentsRounds) {
  for (const int ranks : {2, 7, 64, 100, 1000}) {
    const int log = std::bit_width(static_cast<unsigned>(ranks - 1));
    const int rounds = double_binary_tree(10)(ranks, 0, 1000)->rounds();
    EXPECT_LE(rounds, 4 * (log + 50)) << ranks;
    EXPECT_GE(rounds, 2 * (log + 2 * 49)) << ranks;
  }
}

}  // namespace
}  // namespace tandem
