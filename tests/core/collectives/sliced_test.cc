#include "core/collectives/sliced.h"

#include <gtest/gtest.h>

#include "core/collectives/halving_doubling.h"
#include "core/collectives/linear.h"
#include "core/collectives/recursive_doubling.h"
#include "core/collectives/ring.h"

namespace tandem {
namespace {

std::size_t elements_of(const Round& round) {
  std::size_t elements = 0;
  for (const SendPiece& piece : round.sends) elements += piece.elements;
  for (const ReceivePiece& piece : round.receives) elements += piece.elements;
  return elements;
}

TEST(Sliced, SlicesAddUpToTheWhole) {
  for (const int ranks : {2, 3, 5}) {
    for (const std::size_t elements : {1UL, 5UL, 103UL}) {
      const auto whole = ring_all_reduce(ranks, 1, elements);
      for (int k = 0; k < whole->rounds(); ++k) {
        std::size_t sum = 0;
        for (int slice = 0; slice < 2; ++slice)
          sum += elements_of(sliced(*whole, 2, slice)->round(k));
        EXPECT_EQ(sum, elements_of(whole->round(k)));
      }
    }
  }
}

TEST(Sliced, ChunksThatStayCanBeSliced) {
  EXPECT_TRUE(can_be_sliced(*ring_all_reduce(3, 0, 100), 2));
  EXPECT_TRUE(can_be_sliced(*ring_reduce_scatter(3, 0, 7), 2));
}

TEST(Sliced, WholeVectorsCanBeSliced) {
  EXPECT_TRUE(can_be_sliced(*linear_all_reduce(4, 0, 100), 2));
  EXPECT_TRUE(can_be_sliced(*recursive_doubling(5, 0, 100), 2));
}

TEST(Sliced, WindowsThatChangeCannotBeSliced) {
  EXPECT_FALSE(can_be_sliced(*halving_doubling(4, 0, 100), 2));
}

}  // namespace
}  // namespace tandem
