#include "sim/train_network.h"

#include <gmock/gmock.h>

#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

/// A message that both of its sides post at `at`.
struct Sent {
  int source, destination;
  std::size_t bytes;
  Seconds at = 0;
};

/// When each arrives. On platforms of trains of 10,000 B, and of bursts of one, which links of
/// 100 MB/s let through every 100 us; those of rank 3 every 200 us. A message takes 20 us more.
std::vector<Seconds> arrivals(const std::vector<Sent>& messages, const char* platform = "trains",
                              bool may_change = false) {
  JobOptions options;
  options.executor = ExecutorKind::kExact;
  options.network_may_change = may_change;
  std::vector<Seconds> values =
      run_job(platform, 4, options, [&](Worker& worker, std::span<double> arrived) {
        const int rank = worker.group().rank;
        std::vector<Buffer> buffers;
        std::vector<Handle> sends, receives;
        std::vector<int> numbers;
        for (int i = 0; i < std::ssize(messages); ++i) {
          const Sent& message = messages[i];
          if (rank != message.source && rank != message.destination) continue;
          if (message.at > worker.now()) pass(worker, message.at - worker.now());
          buffers.push_back(worker.allocate(message.bytes, DType::kByte));
          const View view = buffers.back().view();
          if (rank == message.source) {
            sends.push_back(worker.send(message.destination, i, view));
          } else {
            receives.push_back(worker.receive(message.source, i, view));
            numbers.push_back(i);
          }
        }
        while (!receives.empty()) {
          const std::size_t first = worker.wait_any(receives)->index;
          arrived[numbers[first]] = worker.now();
          receives.erase(receives.begin() + static_cast<std::ptrdiff_t>(first));
          numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(first));
        }
        wait_all(worker, sends);
      });
  values.resize(messages.size());
  return values;
}

constexpr Seconds kClose = 1e-9;

TEST(TrainNetwork, AMessageAloneTakesWhatItsLinksDoAfterTheirBursts) {
  EXPECT_NEAR(arrivals({{0, 1, 50'000}})[0], 20e-6 + 400e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 1, 15'000}})[0], 20e-6 + 50e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 1, 0}})[0], 20e-6, 1e-7);
}

// Others fill a fluid's link evenly; here rank 0, which sends twice as fast as rank 3, has two
// thirds of it.
TEST(TrainNetwork, ALinkIsWhosTrainsComeFirst) {
  const auto arrived = arrivals({{0, 1, 60'000}, {3, 1, 60'000, 10e-6}});
  EXPECT_NEAR(arrived[0], 20e-6 + 800e-6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + 1'100e-6, kClose);
  EXPECT_GT(arrivals({{0, 1, 60'000}, {3, 1, 60'000, 10e-6}}, "trains", true)[0], 1e-3);
}

// Rank 2's message is announced at 0.5 ms; three trains are in rank 0's queue then, the last of
// which leaves it at 0.74 ms.
TEST(TrainNetwork, AnAnswerWaitsBehindWhatItsHostSends) {
  const auto arrived = arrivals({{0, 1, 200'000}, {2, 0, 5'000, 500e-6}}, "trains_asked");
  EXPECT_NEAR(arrived[1], 740.8e-6 + 20e-6, kClose);
}

// Acknowledgements wait in rank 1's queue, which a window of one train to each of two others fills
// with two trains, and one of three with six.
TEST(TrainNetwork, NoMoreThanTheWindowIsOnTheWayBeforeItIsAcknowledged) {
  const std::vector<Sent> messages{{1, 2, 200'000}, {1, 3, 200'000}, {0, 1, 50'000, 50e-6}};
  EXPECT_NEAR(arrivals(messages, "trains_narrow")[2], 20e-6 + 800e-6, kClose);
  EXPECT_NEAR(arrivals(messages)[2], 20e-6 + 700e-6, kClose);
  EXPECT_NEAR(arrivals({messages[2]})[0], 20e-6 + 450e-6, kClose);
}

// The 5,000 B of the message to rank 2 are kept back until its 10,000 B have left.
TEST(TrainNetwork, TheLastShorterTrainWaitsOutsideTheQueue) {
  const auto arrived = arrivals({{0, 1, 15'000}, {0, 2, 15'000}, {0, 3, 1'000, 10e-6}});
  EXPECT_NEAR(arrived[0], 20e-6 + 50e-6, kClose);
  EXPECT_NEAR(arrived[2], 20e-6 + 160e-6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + 210e-6, kClose);
}

TEST(TrainNetwork, ASmallMessagePassesALargeOneBetweenItsFragments) {
  const auto arrived = arrivals({{0, 1, 1'000'000}, {0, 1, 1'000, 10e-6}});
  const double before = 3 * 131'072;
  EXPECT_NEAR(arrived[1], 20e-6 + (before + 1'000 - 10'000) / 100e6, kClose);
  EXPECT_NEAR(arrived[0], 20e-6 + (1'001'000 - 10'000) / 100e6, kClose);
}

// Each 4 ns of a byte are half its sender's, which copies one message after the other.
TEST(TrainNetwork, AHostCopiesWhatItSendsInOrder) {
  EXPECT_NEAR(arrivals({{0, 1, 10'000}}, "trains_copying")[0], 20e-6 + 40e-6, kClose);
  const auto arrived = arrivals({{0, 1, 5'000}, {0, 2, 5'000}}, "trains_copying");
  EXPECT_NEAR(arrived[0], 20e-6 + 20e-6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + 30e-6, kClose);
}

}  // namespace
}  // namespace tandem
