#include "core/collectives/binomial_tree.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(BinomialTree, IsProved) {
  prove(Collective::kAllReduce, binomial_tree);
}

TEST(BinomialTree, SendsEachRanksSumUpAndTheWholeDown) {
  const std::size_t sends[] = {3, 1, 2, 1, 2, 1};  // of 6 ranks
  for (int rank = 0; rank < 6; ++rank) {
    const auto schedule = binomial_tree(6, rank, 800);
    EXPECT_EQ(schedule->rounds(), 6);
    EXPECT_EQ(sent_elements(*schedule), sends[rank] * 800) << rank;
  }
}

}  // namespace
}  // namespace tandem
