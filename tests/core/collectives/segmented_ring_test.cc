#include "core/collectives/segmented_ring.h"

#include "core/collectives/ring.h"
#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(SegmentedRing, IsProvedForSegmentsOfAnySize) {
  for (const std::size_t segment : {1UL, 2UL, 1000UL}) {
    prove(Collective::kAllReduce, segmented_ring(segment));
  }
}

TEST(SegmentedRing, SendsAsMuchAsTheRingInPiecesOfASegment) {
  const auto schedule = segmented_ring(30)(8, 3, 800);
  EXPECT_EQ(schedule->rounds(), 4 * 7 + 7);  // a chunk of 100 takes 4 phases
  EXPECT_EQ(sent_elements(*schedule), 2U * 7 * 100);
  for (int k = 0; k < 4 * 7; ++k) EXPECT_EQ(schedule->round(k).sends[0].elements, 25U);
}

TEST(SegmentedRing, IsTheRingWhereASegmentHoldsAChunk) {
  const auto segmented = segmented_ring(100)(8, 3, 800);
  const auto ring = ring_all_reduce(8, 3, 800);
  ASSERT_EQ(segmented->rounds(), ring->rounds());
  for (int k = 0; k < ring->rounds(); ++k) {
    EXPECT_EQ(segmented->round(k).receives[0].offset, ring->round(k).receives[0].offset);
    EXPECT_EQ(segmented->round(k).receives[0].action, ring->round(k).receives[0].action);
  }
}

}  // namespace
}  // namespace tandem
