#include "core/collectives/sums.h"

#include <gtest/gtest.h>

#include <random>

#include "core/collectives/all_reduce.h"
#include "core/collectives/pairwise_all_to_all.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"
#include "core/comm/loopback/loopback.h"

namespace tandem {
namespace {

/// Of such sizes that another order of additions gives other bits.
std::vector<Buffer> numbers_of(int ranks, std::size_t elements) {
  std::mt19937 random(7);
  std::vector<Buffer> buffers;
  for (int rank = 0; rank < ranks; ++rank) {
    buffers.push_back(make_host_buffer(elements, DType::kFloat32));
    for (float& number : buffers.back().view().floats())
      number = static_cast<float>(random()) * (random() % 2 == 0 ? 1.0F : -1e-4F);
  }
  return buffers;
}

/// What rank 0 ends with where messages are sent.
std::vector<float> by_messages(const ScheduleFactory& factory, int ranks, std::size_t elements) {
  const std::vector<Buffer> buffers = numbers_of(ranks, elements);
  run_loopback(ranks, [&](Worker& worker) {
    const int rank = worker.group().rank;
    Handle sum = worker.start(factory(ranks, rank, elements), buffers[rank].view());
    worker.wait(sum);
  });
  const auto result = buffers[0].view().floats();
  return {result.begin(), result.end()};
}

std::vector<float> by_sums(const std::vector<Sum>& sums, int ranks, std::size_t elements) {
  const std::vector<Buffer> buffers = numbers_of(ranks, elements);
  std::vector<float> result(elements);
  for (const Sum& sum : sums) {
    std::vector<View> beginnings, stack;
    std::vector<Buffer> places;
    for (const Buffer& buffer : buffers)
      beginnings.push_back(buffer.view().slice(sum.piece.offset, sum.piece.elements));
    for (int i = 0; i < sum.depth; ++i) {
      places.push_back(make_host_buffer(sum.piece.elements, DType::kFloat32));
      stack.push_back(places.back().view());
    }
    form(sum, beginnings, stack);
    std::ranges::copy(stack[0].floats(),
                      result.begin() + static_cast<std::ptrdiff_t>(sum.piece.offset));
  }
  return result;
}

TEST(Sums, HaveTheBitsOfTheScheduleThatTheyAreOf) {
  const AllReduceOptions options = {.segment_bytes = 80, .node_size = 3};
  for (const std::string& name : all_reduce_names()) {
    const ScheduleFactory factory = all_reduce(name, options);
    for (const int ranks : {2, 3, 5, 8}) {
      for (const std::size_t elements : {1UL, 7UL, 500UL}) {
        const auto sums = sums_of(*factory(ranks, ranks - 1, elements));
        ASSERT_TRUE(sums) << name;
        EXPECT_EQ(by_sums(*sums, ranks, elements), by_messages(factory, ranks, elements))
            << name << ", " << ranks << " ranks, " << elements << " elements";
      }
    }
  }
}

TEST(Sums, OfAnAllGatherAreWhatOneRankBeganWith) {
  const auto sums = sums_of(*ring_all_gather(3, 1, 7));
  ASSERT_TRUE(sums);
  ASSERT_EQ(sums->size(), 3U);
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_EQ((*sums)[rank].steps.size(), 1U);
    EXPECT_EQ((*sums)[rank].steps[0].rank, rank);
    EXPECT_EQ((*sums)[rank].piece.elements, chunk(7, 3, rank).elements);
  }
}

TEST(Sums, OfASubgroupNameItsOwnRanks) {
  const auto sums = sums_of(*subgroup(ring_all_reduce(2, 1, 4), {5, 3}));
  ASSERT_TRUE(sums);
  for (const Sum& sum : *sums) {
    for (const SumStep& step : sum.steps) EXPECT_LT(step.rank, 2);
  }
}

TEST(Sums, AreNoneWhereRanksEndUnlike) {
  EXPECT_FALSE(sums_of(*ring_reduce_scatter(3, 0, 7)));
  EXPECT_FALSE(sums_of(*pairwise_all_to_all(3, 0, 12)));
}

}  // namespace
}  // namespace tandem
