#include "core/collectives/ring.h"

#include <cmath>
#include <random>

#include "core/comm/loopback/loopback.h"
#include "tests/core/collectives/proof.h"

namespace tandem {
namespace {

TEST(Ring, IsProved) {
  prove(Collective::kAllReduce, ring_all_reduce);
  prove(Collective::kReduceScatter, ring_reduce_scatter);
  prove(Collective::kAllGather, ring_all_gather);
  EXPECT_FALSE(check_collective(Collective::kAllReduce, ring_all_reduce, 64, 130));
}

TEST(Ring, SendsTwoTimesNMinusOneChunks) {
  const auto ring = ring_all_reduce(8, 3, 800);
  EXPECT_EQ(ring->rounds(), 14);
  EXPECT_EQ(sent_elements(*ring), 2U * 7 * 100);
  EXPECT_EQ(sent_elements(*ring_reduce_scatter(8, 3, 800)), 7U * 100);
  EXPECT_EQ(sent_elements(*ring_all_gather(8, 3, 800)), 7U * 100);
}

/// Numbers whose sum depends on the order in which they are added.
Buffer random_numbers(Worker& worker, std::size_t elements) {
  Buffer buffer = worker.allocate(elements, DType::kFloat32);
  std::mt19937 random(worker.group().rank + 1);
  for (float& value : buffer.view().floats()) {
    value = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 40) - 40);
  }
  return buffer;
}

TEST(Ring, HalvesGiveTheBitsOfTheWhole) {
  constexpr int kRanks = 5;
  constexpr std::size_t kElements = 1003;
  run_loopback(kRanks, [&](Worker& worker) {
    const int rank = worker.group().rank;
    const Buffer whole = random_numbers(worker, kElements);
    const Buffer halves = random_numbers(worker, kElements);
    Handle all = worker.start(ring_all_reduce(kRanks, rank, kElements), whole.view());
    worker.wait(all);
    Handle scattered = worker.start(ring_reduce_scatter(kRanks, rank, kElements), halves.view());
    worker.wait(scattered);
    const Chunk own = chunk(kElements, kRanks, rank);
    for (std::size_t i = own.offset; i < own.offset + own.elements; ++i) {
      ASSERT_EQ(halves.view().floats()[i], whole.view().floats()[i]) << "element " << i;
    }
    Handle gathered = worker.start(ring_all_gather(kRanks, rank, kElements), halves.view());
    worker.wait(gathered);
    EXPECT_TRUE(std::ranges::equal(halves.view().floats(), whole.view().floats()));
  });
}

}  // namespace
}  // namespace tandem
