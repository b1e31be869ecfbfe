#include "core/collectives/schedule.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Chunk, CoversTheBufferWithoutGaps) {
  for (const std::size_t elements : {0UL, 1UL, 5UL, 8UL, 1001UL}) {
    for (const int parts : {1, 2, 3, 7, 64}) {
      std::size_t next = 0;
      for (int k = 0; k < parts; ++k) {
        const Chunk piece = chunk(elements, parts, k);
        EXPECT_EQ(piece.offset, next);
        EXPECT_LE(piece.elements, elements / parts + 1);
        next += piece.elements;
      }
      EXPECT_EQ(next, elements);
    }
  }
}

}  // namespace
}  // namespace tandem
