// Collectives in the memory that ranks of one host share. Every rank runs every test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <numeric>

#include "core/collectives/all_reduce.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"
#include "real/mpi/shared/arena.h"
#include "real/mpi/shared/node.h"
#include "real/mpi/worker.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

TEST(Arena, GivesZeroedMemoryAgainAndAgain) {
  Arena arena;
  ASSERT_TRUE(arena.exists());
  for (const std::size_t bytes : {1UL, 100UL, 5000UL, 1UL << 20}) {
    std::byte* first = arena.allocate(bytes);
    std::byte* second = arena.allocate(bytes);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    EXPECT_GE(static_cast<std::size_t>(second - first), bytes);
    std::fill_n(first, bytes, std::byte{1});
    arena.free(first, bytes);
    std::byte* again = arena.allocate(bytes);
    EXPECT_EQ(again, first);
    EXPECT_TRUE(std::all_of(again, again + bytes, [](std::byte b) { return b == std::byte{0}; }));
    arena.free(again, bytes);
    arena.free(second, bytes);
  }
  EXPECT_EQ(arena.allocate(1UL << 62), nullptr);
  EXPECT_EQ(arena.allocate(3 << 20), arena.data());  // what was freed is one piece again
}

TEST(Node, HandsOutMemoryThatItsNeighboursReach) {
  Node node(MPI_COMM_WORLD);
  EXPECT_EQ(node.is_shared(), session().size() > 1);
  const Buffer buffer = node.allocate(100'000, DType::kFloat32);
  EXPECT_EQ(node.offset_of(buffer.view()) == Notice::kNotShared, session().size() == 1);
  EXPECT_EQ(node.offset_of(make_host_buffer(1000, DType::kFloat32).view()), Notice::kNotShared);
  if (session().size() == 1) return;
  // All allocated the same, so it is at the same place in each arena.
  const int rank = session().rank(), next = (rank + 1) % session().size();
  const std::size_t offset = node.offset_of(buffer.view());
  *reinterpret_cast<float*>(node.data_of(next, offset)) = static_cast<float>(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(buffer.view().floats()[0],
            static_cast<float>((rank + session().size() - 1) % session().size()));
  MPI_Barrier(MPI_COMM_WORLD);
  give_back_pages(buffer.view());  // for all
  EXPECT_EQ(resident_bytes(buffer.view()), 0U);
  MPI_Barrier(MPI_COMM_WORLD);
}

std::vector<float> reduced(Worker& worker, const ScheduleFactory& factory, const Buffer& buffer) {
  const auto [rank, size, epoch] = worker.group();
  const auto numbers = buffer.view().floats();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = 1.0F / static_cast<float>(3 * i + 7 * rank + 1);
  Handle sum = worker.start(factory(size, rank, numbers.size()), buffer.view());
  worker.wait(sum);
  return {numbers.begin(), numbers.end()};
}

TEST(InMemory, ACollectiveEndsAndCountsAsByMessages) {
  const AllReduceOptions options = {.segment_bytes = 4000, .node_size = 2};
  MpiWorker worker(MPI_COMM_WORLD), far(MPI_COMM_WORLD, {}, {}, Way::kMessages);
  for (const std::string& name : all_reduce_names()) {
    for (const std::size_t elements : {1UL, 5UL, 3001UL, 100'000UL}) {
      const Buffer shared = worker.allocate(elements, DType::kFloat32);
      const Buffer own = make_host_buffer(elements, DType::kFloat32);
      EXPECT_EQ(reduced(worker, all_reduce(name, options), shared),
                reduced(far, all_reduce(name, options), own))
          << name << ", " << elements;
      const Traffic in_memory = worker.record().traffic(), by_messages = far.record().traffic();
      EXPECT_EQ(in_memory.sent_bytes, by_messages.sent_bytes);
      EXPECT_EQ(in_memory.received_packets, by_messages.received_packets);
    }
  }
  worker.end();
  far.end();
}

TEST(InMemory, WhereOneRanksBufferIsItsOwnAllSendMessages) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  for (const std::size_t elements : {300UL, 30'000UL}) {  // small ones are copied in any case
    for (int odd = 0; odd < size; ++odd) {
      const Buffer buffer = rank == odd ? make_host_buffer(elements, DType::kFloat32)
                                        : worker.allocate(elements, DType::kFloat32);
      std::ranges::fill(buffer.view().floats(), 1.0F);
      Handle sum = worker.start(ring_all_reduce(size, rank, elements), buffer.view());
      worker.wait(sum);
      EXPECT_THAT(buffer.view().floats(), testing::Each(static_cast<float>(size)));
    }
  }
  worker.end();
}

// A rank changes its buffer as soon as a collective is done, and goes on to the next; some are of
// half of the ranks.
TEST(InMemory, OnesOfUnlikeSizesAndGroupsFollowEachOther) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  const Buffer buffer = worker.allocate(20'000, DType::kFloat32);
  for (int k = 0; k < 600; ++k) {
    const bool by_halves = k % 3 == 1 && size % 2 == 0;
    const int ranks = by_halves ? size / 2 : size;
    const int first = by_halves && rank >= ranks ? ranks : 0;
    const std::size_t elements = k % 50 == 49 ? 20'000 : 1 + 37 * (k % 40);
    const View view = buffer.view().slice(0, elements);
    std::ranges::fill(view.floats(), static_cast<float>(k + rank));
    std::vector<int> members(ranks);
    std::iota(members.begin(), members.end(), first);
    Handle sum =
        worker.start(subgroup(ring_all_reduce(ranks, rank - first, elements), members), view);
    worker.wait(sum);
    const int expected = ranks * k + ranks * (2 * first + ranks - 1) / 2;
    ASSERT_THAT(view.floats(), testing::Each(static_cast<float>(expected))) << k;
  }
  worker.end();
}

// A rank is far ahead of another that reads slowly what it began with.
TEST(InMemory, SmallOnesAreReadBeforeTheirPlacesAreUsedAgain) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  if (size < 4) return;
  const Buffer buffer = worker.allocate(500, DType::kFloat32);
  // Rank 0 goes on with rank 1 while 2 and 3 may not have begun to read what it had before.
  for (int k = 0; k < 400; ++k) {
    for (const std::vector<int>& members : {std::vector{0, 2}, {0, 1}, {1, 3}, {0, 1, 2, 3}}) {
      const auto own = std::ranges::find(members, rank);
      if (own == members.end()) continue;
      std::ranges::fill(buffer.view().floats(), static_cast<float>(k + rank));
      const auto ranks = static_cast<int>(members.size());
      Handle sum = worker.start(
          subgroup(ring_all_reduce(ranks, static_cast<int>(own - members.begin()), 500), members),
          buffer.view());
      worker.wait(sum);
      const int expected = ranks * k + std::accumulate(members.begin(), members.end(), 0);
      ASSERT_THAT(buffer.view().floats(), testing::Each(static_cast<float>(expected))) << k;
    }
  }
  worker.end();
}

TEST(InMemory, ByMessagesNothingIsShared) {
  MpiWorker worker(MPI_COMM_WORLD, {}, {}, Way::kMessages);
  EXPECT_FALSE(worker.shares_memory_with_all());
  const Buffer buffer = worker.allocate(1000, DType::kFloat32);
  EXPECT_THAT(reduced(worker, ring_all_reduce, buffer),
              testing::ElementsAreArray(
                  reduced(worker, ring_all_reduce, make_host_buffer(1000, DType::kFloat32))));
  worker.end();
}

class SizesInMemory : public testing::TestWithParam<std::size_t> {};

TEST_P(SizesInMemory, UnlikeOnesAreAnError) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  if (size == 1) return;
  const std::size_t elements = rank == 0 ? GetParam() / 2 : GetParam();
  const Buffer buffer = worker.allocate(elements, DType::kFloat32);
  Handle sum = worker.start(ring_all_reduce(size, rank, elements), buffer.view());
  EXPECT_THROW(worker.wait(sum), RunError);
}

// A rank goes on to other collectives while its peers are still in the one before.
TEST(InMemory, ManyOverlapWithMessagesAndComputing) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  std::vector<Buffer> buffers;
  std::vector<Handle> handles;
  for (int k = 0; k < 40; ++k) {
    const std::size_t elements = 1 + 997 * (k % 7);
    buffers.push_back(k % 5 == 0 ? make_host_buffer(elements, DType::kFloat32)
                                 : worker.allocate(elements, DType::kFloat32));
    std::ranges::fill(buffers.back().view().floats(), static_cast<float>(k));
    handles.push_back(worker.start(ring_all_reduce(size, rank, elements), buffers.back().view()));
    Handle computed = worker.compute({.phase = Phase::kBackward, .name = "test", .body = {}});
    worker.wait(computed);
  }
  wait_all(worker, handles);
  for (int k = 0; k < 40; ++k) {
    EXPECT_THAT(buffers[k].view().floats(), testing::Each(static_cast<float>(size * k)));
  }
  worker.end();
}

// After one that it took part in.
TEST_P(SizesInMemory, APeerThatEndedIsLostAndItsMemoryIsNot) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  const Buffer buffer = worker.allocate(GetParam(), DType::kFloat32);
  Handle sum = worker.start(ring_all_reduce(size, rank, GetParam()), buffer.view());
  worker.wait(sum);
  if (size == 1 || rank == size - 1) return;
  sum = worker.start(ring_all_reduce(size, rank, GetParam()), buffer.view());
  try {
    worker.wait(sum);
    FAIL();
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.peer(), size - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(SmallAndLarge, SizesInMemory, testing::Values(1000, 10'000));

}  // namespace
}  // namespace tandem::mpi
