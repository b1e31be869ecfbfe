// Simulated times on idle platforms against what paper and pencil give.

#include "core/collectives/ring.h"
#include "core/record/recorder.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

constexpr double kTolerance = 1e-6;  // relative

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, kTolerance * expected);
}

TEST(ClosedForms, AMessageTakesLatencyAndBytesOverBandwidth) {
  for (const std::size_t bytes : {0UL, 1UL, 1'000'000UL, 3'000'000'000UL}) {
    const auto ends = run_job("star", 2, exact(), [&](Worker& worker, std::span<double> ends) {
      const Buffer buffer = worker.allocate(bytes, DType::kByte);
      const int rank = worker.group().rank;
      Handle handle =
          rank == 0 ? worker.send(1, 5, buffer.view()) : worker.receive(0, 5, buffer.view());
      worker.wait(handle);
      ends[rank] = worker.now();
    });
    expect_close(ends[0], kStarLatency + static_cast<double>(bytes) / kStarBandwidth);
    EXPECT_EQ(ends[0], ends[1]);
  }
}

TEST(ClosedForms, AMessageStartsWhenBothSidesAreThere) {
  const auto ends = run_job("star", 2, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(1'000'000, DType::kByte);
    const int rank = worker.group().rank;
    if (rank == 1) pass(worker, 0.5);
    Handle handle =
        rank == 0 ? worker.send(1, 5, buffer.view()) : worker.receive(0, 5, buffer.view());
    worker.wait(handle);
    ends[rank] = worker.now();
  });
  expect_close(ends[0], 0.5 + kStarLatency + 1e-3);
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(ClosedForms, AMessageToOneselfTakesNoTime) {
  const auto ends = run_job("star", 1, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(1'000'000, DType::kByte);
    Handle handles[] = {worker.send(0, 5, buffer.view()), worker.receive(0, 5, buffer.view())};
    wait_all(worker, handles);
    ends[0] = worker.now();
  });
  EXPECT_EQ(ends[0], 0);
}

TEST(ClosedForms, TwoFlowsOverOneLinkGetHalfOfItEach) {
  const auto ends = run_job("star", 3, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(1'000'000, DType::kByte);
    const int rank = worker.group().rank;
    if (rank > 0) {
      Handle handle = worker.send(0, rank, buffer.view());
      worker.wait(handle);
    } else {
      Handle handles[] = {worker.receive(1, 1, buffer.view()), worker.receive(2, 2, buffer.view())};
      wait_all(worker, handles);
    }
    ends[rank] = worker.now();
  });
  for (const double end : ends) expect_close(end, kStarLatency + 2e-3);
}

class RingOf : public testing::TestWithParam<int> {};

TEST_P(RingOf, TakesTwiceNMinusOneRounds) {
  const int n = GetParam();
  const std::size_t elements = 1'000'000UL * static_cast<std::size_t>(n);
  const auto ends = run_job("star", n, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(elements, DType::kFloat32);
    const int rank = worker.group().rank;
    Handle handle = worker.start(ring_all_reduce(n, rank, elements), buffer.view());
    worker.wait(handle);
    ends[rank] = worker.now();
  });
  for (const double end : ends)
    expect_close(end, 2 * (n - 1) * (kStarLatency + 4e6 / kStarBandwidth));
}

TEST_P(RingOf, ChargesTheAddingOfHalfItsRounds) {
  const int n = GetParam();
  const std::size_t elements = 1'000'000UL * static_cast<std::size_t>(n);
  JobOptions options = exact();
  MemberDevice device = unit_device();
  device.adding_time = [](std::size_t bytes) { return static_cast<double>(bytes) / 8e9; };
  options.devices.assign(n, device);
  const auto ends = run_job("star", n, options, [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(elements, DType::kFloat32);
    const int rank = worker.group().rank;
    Handle handle = worker.start(ring_all_reduce(n, rank, elements), buffer.view());
    worker.wait(handle);
    ends[rank] = worker.now();
  });
  const double rounds = n - 1;
  for (const double end : ends) {
    expect_close(end, rounds * (2 * (kStarLatency + 4e6 / kStarBandwidth) + 4e6 / 8e9));
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RingOf, testing::Values(2, 3, 4, 7, 8, 16, 64));

class IncastOf : public testing::TestWithParam<int> {};

TEST_P(IncastOf, TakesTheSumOfItsBytesOverTheServersLink) {
  const int workers = GetParam();
  const std::size_t bytes = 10'000'000;
  const auto ends =
      run_job("star", workers + 1, exact(), [&](Worker& worker, std::span<double> ends) {
        const Buffer buffer = worker.allocate(bytes, DType::kByte);
        const int rank = worker.group().rank;
        std::vector<Handle> handles;
        if (rank < workers) {
          handles.push_back(worker.send(workers, 1, buffer.view()));
        } else {
          for (int i = 0; i < workers; ++i) {
            handles.push_back(worker.receive(i, 1, buffer.view()));
          }
        }
        wait_all(worker, handles);
        ends[rank] = worker.now();
      });
  for (const double end : ends) {
    expect_close(end, kStarLatency + workers * static_cast<double>(bytes) / kStarBandwidth);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, IncastOf, testing::Values(1, 2, 6, 32, 63));

TEST(ClosedForms, CollectivesOfAMemberRunOneAfterTheOther) {
  constexpr std::size_t kElements = 1'000'000;
  const auto ends = run_job("star", 4, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(2 * kElements, DType::kFloat32);
    const int rank = worker.group().rank;
    Handle first =
        worker.start(ring_all_reduce(4, rank, kElements), buffer.view().slice(0, kElements));
    Handle second = worker.start(ring_all_reduce(4, rank, kElements),
                                 buffer.view().slice(kElements, kElements));
    pass(worker, 1e-4);  // they go on meanwhile
    worker.wait(second);
    EXPECT_FALSE(worker.wait_any({&first, 1}, 0) == std::nullopt);
    ends[rank] = worker.now();
  });
  for (const double end : ends) expect_close(end, 2 * 6 * (kStarLatency + 1e6 / kStarBandwidth));
}

}  // namespace
}  // namespace tandem
