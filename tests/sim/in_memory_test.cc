// Collectives that workers do in the memory of a host that they share.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/collectives/ring.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

constexpr std::size_t kSummedElements = 1'000'000;
constexpr Seconds kTakes = 100e-6 + 4e6 * 1e-9;

Handle start_sum(Worker& worker, const Buffer& buffer) {
  const Group& group = worker.group();
  return worker.start(ring_all_reduce(group.size, group.rank, buffer.view().elements),
                      buffer.view());
}

/// When each member is done with an all-reduce that each comes to a millisecond after the one
/// before.
std::vector<Seconds> ends(int members) {
  return run_job("in_memory", members, {}, [](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(kSummedElements, DType::kFloat32);
    pass(worker, 1e-3 * worker.group().rank);
    Handle sum = start_sum(worker, buffer);
    worker.wait(sum);
    values[worker.group().rank] = worker.now();
  });
}

TEST(InMemory, AllAreDoneTogetherAfterTheLastHasCome) {
  const auto near = [](Seconds time) { return testing::DoubleNear(time, 1e-12); };
  EXPECT_THAT(ends(2), testing::Each(near(1e-3 + kTakes)));
  EXPECT_THAT(ends(3), testing::Each(near(2e-3 + kTakes)));
}

TEST(InMemory, WhoIsAloneHasNothingToMove) {
  EXPECT_EQ(ends(1)[0], 0);
}

// Each of two reads half of them from one and writes them to both: three quarters of what it moves
// in an all-reduce.
TEST(InMemory, AGatherTakesLess) {
  const auto end = run_job("in_memory", 2, {}, [](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(kSummedElements, DType::kFloat32);
    Handle gathered =
        worker.start(ring_all_gather(2, worker.group().rank, kSummedElements), buffer.view());
    worker.wait(gathered);
    values[worker.group().rank] = worker.now();
  });
  EXPECT_NEAR(end[0], 100e-6 + 0.75 * 4e6 * 1e-9, 1e-12);
}

// After it each rank has another part.
TEST(InMemory, AReduceScatterGoesByMessages) {
  const auto end = run_job("in_memory", 2, {}, [](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(kSummedElements, DType::kFloat32);
    Handle reduced =
        worker.start(ring_reduce_scatter(2, worker.group().rank, kSummedElements), buffer.view());
    worker.wait(reduced);
    values[worker.group().rank] = worker.now();
  });
  EXPECT_NEAR(end[0], 50e-6 + 2e6 * 10e-9, 1e-9);
}

/// When a member is done that starts an all-reduce and computes for so long beside it.
Seconds end_of_computing(Seconds time) {
  return run_job("in_memory", 2, {}, [=](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(kSummedElements, DType::kFloat32);
    Handle sum = start_sum(worker, buffer);
    pass(worker, time);
    values[worker.group().rank] = worker.now();
    worker.wait(sum);
  })[0];
}

TEST(InMemory, ComputingBesideThemIsSlower) {
  EXPECT_NEAR(end_of_computing(20e-3), 20e-3 + 0.5 * kTakes, 1e-9);
  EXPECT_NEAR(end_of_computing(1e-3), 2e-3, 1e-9);  // all of it is beside them
}

TEST(InMemory, SumsAreThoseOfMessages) {
  const auto sums = [](const std::string& platform) {
    JobOptions options;
    options.depth = Depth::kPayload;
    return run_job(platform, 3, options, [](Worker& worker, std::span<double> values) {
      const Buffer buffer = worker.allocate(7, DType::kFloat32);
      const std::span<float> numbers = buffer.view().numbers<float>();
      for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = 0.1F * static_cast<float>(i + 1) / static_cast<float>(worker.group().rank + 3);
      Handle sum = start_sum(worker, buffer);
      worker.wait(sum);
      for (std::size_t i = 0; i < 7 && worker.group().rank == 1; ++i) values[i] = numbers[i];
    });
  };
  EXPECT_EQ(sums("in_memory"), sums("star"));
  EXPECT_GT(sums("in_memory")[0], 0);
}

TEST(InMemory, WhoeverDoesNotComeIsMissed) {
  const ChildOutcome outcome = try_job("in_memory", 3, {}, [](Worker& worker, std::span<double>) {
    if (worker.group().rank == 2) throw RunError("no time");
    const Buffer buffer = worker.allocate(kSummedElements, DType::kFloat32);
    Handle sum = start_sum(worker, buffer);
    worker.wait(sum);
  });
  EXPECT_EQ(outcome.exit_code, kExitRunFailed);
  EXPECT_EQ(outcome.message, "no time");
}

TEST(InMemory, FusedSaysThatItIsNot) {
  JobOptions options;
  options.executor = ExecutorKind::kFused;
  const ChildOutcome outcome = try_job("in_memory", 2, options, [](Worker&, std::span<double>) {});
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, testing::HasSubstr("in the memory of a host"));
}

}  // namespace
}  // namespace tandem
