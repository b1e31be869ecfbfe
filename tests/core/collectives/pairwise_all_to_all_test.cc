#include "core/collectives/pairwise_all_to_all.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(PairwiseAllToAll, IsProved) {
  prove(Collective::kAllToAll, pairwise_all_to_all);
  for (const int ranks : awkward_rank_counts()) {  // whole blocks of 1 and of 3
    const auto n = static_cast<std::size_t>(ranks);
    for (const std::size_t elements : {2 * n, 6 * n}) {
      EXPECT_FALSE(check_collective(Collective::kAllToAll, pairwise_all_to_all, ranks, elements));
    }
  }
}

TEST(PairwiseAllToAll, SendsItsBlocksOnce) {
  const auto schedule = pairwise_all_to_all(5, 2, 2 * 5 * 30);
  EXPECT_EQ(schedule->rounds(), 4);
  EXPECT_EQ(sent_elements(*schedule), 4U * 30);
}

}  // namespace
}  // namespace tandem
