#include "core/collectives/schedule.h"

#include <gtest/gtest.h>

#include <tuple>

#include "core/collectives/all_reduce.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"

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

bool have_equal_rounds(const Schedule& a, const Schedule& b) {
  if (a.rounds() != b.rounds()) return false;
  for (int k = 0; k < a.rounds(); ++k) {
    if (!(a.round(k) == b.round(k))) return false;
  }
  return true;
}

TEST(ScheduleKey, TellsTheRounds) {
  std::vector<std::unique_ptr<const Schedule>> schedules;
  for (const std::string& name : all_reduce_names()) {
    for (const auto& [ranks, rank] : {std::tuple(6, 1), std::tuple(6, 4), std::tuple(8, 1)}) {
      for (const std::size_t elements : {24UL, 25UL, 96UL}) {
        for (const int option : {1, 2, 3, 4}) {
          const AllReduceOptions options = {.segment_bytes = 4UL * option, .node_size = option};
          schedules.push_back(all_reduce(name, options)(ranks, rank, elements));
        }
      }
    }
  }
  for (const auto& a : schedules) {
    ASSERT_TRUE(a->key());
    for (const auto& b : schedules) {
      if (a->key() != b->key()) continue;
      EXPECT_TRUE(have_equal_rounds(*a, *b)) << a->name();
    }
  }
}

TEST(ScheduleKey, LeavesOutWhatTheGroupCallsItsRanks) {
  const auto part = subgroup(ring_all_reduce(2, 0, 10), {3, 5});
  EXPECT_EQ(part->key(), ring_all_reduce(2, 0, 10)->key());
  EXPECT_NE(part->key(), ring_all_gather(2, 0, 10)->key());
}

}  // namespace
}  // namespace tandem
