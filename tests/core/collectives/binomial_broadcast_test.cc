#include "core/collectives/binomial_broadcast.h"

#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(BinomialBroadcast, IsProved) {
  prove(Collective::kBroadcast, binomial_broadcast);
}

TEST(BinomialBroadcast, ReachesAllInLogNRounds) {
  EXPECT_EQ(binomial_broadcast(1, 0, 10)->rounds(), 0);
  EXPECT_EQ(binomial_broadcast(8, 0, 10)->rounds(), 3);
  EXPECT_EQ(binomial_broadcast(9, 0, 10)->rounds(), 4);
  std::size_t sent = 0;
  for (int rank = 0; rank < 9; ++rank) sent += sent_elements(*binomial_broadcast(9, rank, 10));
  EXPECT_EQ(sent, 8U * 10);
}

}  // namespace
}  // namespace tandem
