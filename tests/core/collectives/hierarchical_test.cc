#include "core/collectives/hierarchical.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(Hierarchical, IsProvedForNodesOfAnySize) {
  for (const int node_size : {1, 2, 3, 4, 8, 40}) {
    prove(Collective::kAllReduce, hierarchical(node_size));
  }
}

std::size_t sent_out_of_the_node(const Schedule& schedule, int node_size) {
  std::size_t sent = 0;
  for (int k = 0; k < schedule.rounds(); ++k) {
    for (const SendPiece& piece : schedule.round(k).sends) {
      if (piece.peer / node_size != schedule.rank() / node_size) sent += piece.elements;
    }
  }
  return sent;
}

TEST(Hierarchical, SendsAPieceOfItsNodeAcrossAndARingInside) {
  for (int rank = 0; rank < 12; ++rank) {
    const auto schedule = hierarchical(4)(12, rank, 1200);  // 3 nodes of 4
    EXPECT_EQ(schedule->rounds(), 2 * 3 + 2 * 2);
    EXPECT_EQ(sent_out_of_the_node(*schedule, 4), 2U * 2 * 100);
    EXPECT_EQ(sent_elements(*schedule), 2U * 2 * 100 + 2U * 3 * 300);
  }
}

TEST(Hierarchical, SharesThePiecesOutWhereTheLastNodeIsSmaller) {
  // Nodes of 4, 4 and 2: ranks 8 and 9 hold two pieces each.
  EXPECT_EQ(sent_out_of_the_node(*hierarchical(4)(10, 0, 1200), 4), 2U * 2 * 100);
  EXPECT_EQ(sent_out_of_the_node(*hierarchical(4)(10, 8, 1200), 4), 2U * 2 * 200);
  EXPECT_EQ(sent_out_of_the_node(*hierarchical(4)(10, 9, 1200), 4), 2U * 2 * 200);
}

}  // namespace
}  // namespace tandem
