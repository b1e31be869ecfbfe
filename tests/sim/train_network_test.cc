#include "sim/train_network.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/collectives/ring.h"
#include "tests/sim/forked_engine.h"
#include "tests/sim/trains.h"

namespace tandem {
namespace {

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
  EXPECT_GT(arrivals({{0, 1, 60'000}, {3, 1, 60'000, 10e-6}}, "trains", false)[0], 1e-3);
}

// Rank 2's message is announced at 0.5 ms; three trains are in rank 0's queue then, the last of
// which leaves it at 0.74 ms.
TEST(TrainNetwork, AnAnswerWaitsBehindWhatItsHostSends) {
  const Calibrated asked(kAsked);
  const auto arrived = arrivals({{0, 1, 200'000}, {2, 0, 5'000, 500e-6}}, asked.name());
  EXPECT_NEAR(arrived[1], 740.8e-6 + 20e-6, kClose);
}

// Acknowledgements wait in rank 1's queue, which a window of one train to each of two others fills
// with two trains, and one of three with six.
TEST(TrainNetwork, NoMoreThanTheWindowIsOnTheWayBeforeItIsAcknowledged) {
  const std::vector<Sent> messages{{1, 2, 200'000}, {1, 3, 200'000}, {0, 1, 50'000, 50e-6}};
  const Calibrated narrow("eager_bytes: 10000000\ntrain_bytes: 10000\nwindow_bytes: 11000\n");
  EXPECT_NEAR(arrivals(messages, narrow.name())[2], 20e-6 + 800e-6, kClose);
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

// It leaves in the train that the first three begin, the 40th.
TEST(TrainNetwork, ASmallMessagePassesALargeOneBetweenItsFragments) {
  const auto arrived = arrivals({{0, 1, 1'000'000}, {0, 1, 1'000, 10e-6}});
  EXPECT_NEAR(arrived[1], 20e-6 + (400'000 - 10'000) / 100e6, kClose);
  EXPECT_NEAR(arrived[0], 20e-6 + (1'001'000 - 10'000) / 100e6, kClose);
}

// Eight ask at one time, and their answers, too, are served in their order.
TEST(TrainNetwork, WhoAsksFirstIsServedFirst) {
  JobOptions options = exact();
  const Calibrated asked(kAsked);
  run_job(asked.name(), 2, options, [](Worker& worker, std::span<double>) {
    constexpr std::size_t kMessages = 8, kBytes = 10'000;
    const Buffer buffer = worker.allocate(kMessages * kBytes, DType::kByte);
    std::vector<Handle> handles;
    for (std::size_t i = 0; i < kMessages; ++i) {
      const View view = buffer.view().slice(i * kBytes, kBytes);
      const Tag tag = static_cast<Tag>(i);
      handles.push_back(worker.group().rank == 0 ? worker.send(1, tag, view)
                                                 : worker.receive(0, tag, view));
    }
    Seconds before = 0;
    for (Handle& handle : handles) {
      worker.wait(handle);
      EXPECT_GT(worker.now(), before) << "one had arrived before those ahead of it";
      before = worker.now();
    }
  });
}

TEST(TrainNetwork, SumsUpWhatFlowsSumUp) {
  const Calibrated asked(kAsked);
  const auto sums = [&](bool by_trains) {
    JobOptions options = exact();
    options.depth = Depth::kPayload;
    options.by_trains = by_trains;
    return run_job(asked.name(), 4, options, [](Worker& worker, std::span<double> values) {
      constexpr std::size_t kElements = 1'200'000;  // in slices
      const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
      auto* data = reinterpret_cast<float*>(buffer.view().data);
      const int rank = worker.group().rank;
      for (std::size_t i = 0; i < kElements; ++i)
        data[i] = 0.1F * static_cast<float>(i % 97) + static_cast<float>(rank);
      Handle sum = worker.start(ring_all_reduce(4, rank, kElements), buffer.view());
      worker.wait(sum);
      EXPECT_EQ(worker.record().traffic().sent_messages, 6);  // the ring's, in whatever slices
      for (std::size_t i = 0; i < kElements; ++i)
        values[rank] += static_cast<double>(data[i]) * static_cast<double>(i % 31);
    });
  };
  const std::vector<double> by_trains = sums(true);
  EXPECT_GT(by_trains[0], 0);
  EXPECT_EQ(by_trains, sums(false));
}

// Rank 1's messages, of two slices, have been announced for long when rank 0 begins. That asks for
// them after it has announced its own, so that what rank 1 answers stands before the fragments that
// it sends: 2 MB are on their way each way at once, and so are the next.
TEST(TrainNetwork, WhoBeginsACollectiveLaterSendsMeanwhile) {
  const Calibrated asked(kAsked);
  const auto ends = run_job(asked.name(), 2, exact(), [](Worker& worker, std::span<double> end) {
    constexpr std::size_t kElements = 1'000'000;
    const int rank = worker.group().rank;
    const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
    if (rank == 0) pass(worker, 5e-3);
    Handle sum = worker.start(ring_all_reduce(2, rank, kElements), buffer.view());
    worker.wait(sum);
    end[rank] = worker.now();
  });
  for (int rank = 0; rank < 2; ++rank) EXPECT_NEAR(ends[rank], 5e-3 + 2 * 20e-3, 0.5e-3) << rank;
}

// Rank 2 has ended. Those who find that out leave nothing over of either slice.
TEST(TrainNetwork, WhoLacksAPeerGivesUpBothSlices) {
  const Calibrated asked(kAsked);
  JobOptions options = exact();
  options.depth = Depth::kPayload;
  run_job(asked.name(), 3, options, [](Worker& worker, std::span<double>) {
    constexpr std::size_t kElements = 1'200'000;
    const int rank = worker.group().rank;
    if (rank == 2) return;
    const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
    Handle sum = worker.start(ring_all_reduce(3, rank, kElements), buffer.view());
    EXPECT_THROW(worker.wait(sum), PeerLost);
  });
}

// Rank 1's host fails while rank 0's message is on the way, announced or asked for.
TEST(TrainNetwork, WhoseHostFailsMeanwhileIsLost) {
  const Calibrated asked(kAsked);
  for (const Seconds fails : {10e-6, 30e-6, 500e-6}) {
    JobOptions options = exact();
    const ChildOutcome outcome =
        try_job(asked.name(), 3, options, [=](Worker& worker, std::span<double> values) {
          const int rank = worker.group().rank;
          const Buffer buffer = worker.allocate(100'000, DType::kByte);
          if (rank == 2) {
            simgrid::s4u::this_actor::sleep_for(fails);
            simgrid::s4u::Host::by_name("b")->turn_off();
            values[2] = 1;
            return;
          }
          Handle handle =
              rank == 0 ? worker.send(1, 0, buffer.view()) : worker.receive(0, 0, buffer.view());
          worker.wait(handle);
          values[rank] = 1;
        });
    EXPECT_THAT(outcome.values, testing::ElementsAre(0, 0, 1)) << fails;
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.message, testing::HasSubstr("b")) << fails;
  }
}

TEST(TrainNetwork, AMessageOfAnotherSizeIsRefusedAndOthersGoOn) {
  const Calibrated asked(kAsked);
  JobOptions options = exact();
  const ChildOutcome outcome =
      try_job(asked.name(), 3, options, [](Worker& worker, std::span<double> values) {
        const int rank = worker.group().rank;
        const Buffer buffer = worker.allocate(2'000, DType::kByte);
        if (rank == 0) {
          Handle wrong = worker.send(1, 0, buffer.view());
          worker.wait(wrong);
          Handle right = worker.send(2, 0, buffer.view());
          worker.wait(right);
        } else if (rank == 2) {
          Handle received = worker.receive(0, 0, buffer.view());
          worker.wait(received);
          values[2] = worker.now();
        } else {
          Handle received = worker.receive(0, 0, buffer.view().slice(0, 1'000));
          worker.wait(received);
        }
      });
  EXPECT_THAT(outcome.message, testing::HasSubstr("1000 bytes"));
  EXPECT_GT(outcome.values[2], 0);
}

TEST(TrainNetwork, FitsWhereEveryLinkIsAShaper) {
  const auto fits = [](const char* platform) {
    return in_child(
               [=](std::span<double> values) {
                 const Engine engine(test_platform(platform), Depth::kSizes);
                 values[0] = TrainNetwork::fits(engine) ? 1 : 0;
               },
               1)
        .values[0];
  };
  EXPECT_EQ(fits("trains"), 1);
  EXPECT_EQ(fits("shaped"), 0) << "nobody says how long trains are";
  EXPECT_EQ(fits("calibrated"), 0);
}

/// Where messages take 20 us, and 4 ns a byte, half of them its sender's; beyond the burst, where
/// the link is the limit, 60 us and 10 ns a byte.
constexpr const char* kCopying =
    "eager_bytes: 10000000\ntrain_bytes: 10000\nmessages:\n"
    "  - {bytes: 10000, latency_s: 20e-6, seconds_per_byte: 4e-9}\n"
    "  - {bytes: 16777216, latency_s: -40e-6, seconds_per_byte: 10e-9}\n";

TEST(TrainNetwork, AHostCopiesWhatItSendsInOrder) {
  const Calibrated copying(kCopying);
  EXPECT_NEAR(arrivals({{0, 1, 10'000}}, copying.name())[0], 20e-6 + 40e-6, kClose);
  const auto arrived = arrivals({{0, 1, 5'000}, {0, 2, 5'000}}, copying.name());
  EXPECT_NEAR(arrived[0], 20e-6 + 20e-6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + 30e-6, kClose);
}

TEST(TrainNetwork, AMessageAloneTakesWhatItsCalibrationSays) {
  for (const std::vector<std::string>& sharing : {std::vector<std::string>{}, {"a"}, {"a", "b"}}) {
    const Calibrated copying(kCopying, sharing);
    EXPECT_NEAR(arrivals({{0, 1, 5'000}}, copying.name())[0], 20e-6 + 20e-6, kClose);
    EXPECT_NEAR(arrivals({{0, 1, 50'000}}, copying.name())[0], 60e-6 + 400e-6, kClose);
  }
}

// It takes 10 us at either end beside copying.
TEST(TrainNetwork, HostsOnOneProcessorTakeTurns) {
  const std::vector<Sent> leave{{0, 1, 10'000}, {3, 2, 10'000}};
  const std::vector<Sent> come{{1, 0, 10'000}, {2, 3, 10'000}};
  const Calibrated apart(kCopying, {"a"});
  EXPECT_NEAR(arrivals(leave, apart.name())[1], 60e-6, kClose);
  const Calibrated together(kCopying, {"a", "d"});
  for (const auto& messages : {leave, come}) {
    const auto arrived = arrivals(messages, together.name());
    EXPECT_NEAR(arrived[0], 60e-6, kClose);
    EXPECT_NEAR(arrived[1], 90e-6, kClose);
  }
}

// Of a small message's 400 us its receiver is busy with half, so that 10,000 B and 5,000 are
// acknowledged at 200 and 250.
TEST(TrainNetwork, ATrainIsCutToAThirdOfTheWindow) {
  const Calibrated slow(
      "eager_bytes: 10000000\ntrain_bytes: 10000\nwindow_bytes: 15000\nmessages:\n"
      "  - {bytes: 10000, latency_s: 400e-6, seconds_per_byte: 0}\n"
      "  - {bytes: 16777216, latency_s: 100e-6, seconds_per_byte: 10e-9}\n");
  EXPECT_NEAR(arrivals({{0, 1, 30'000}}, slow.name())[0], 250e-6 + 200e-6, kClose);
}

// The first message takes the burst, and the last 5,000 B of the second are kept back behind its
// first train, which leaves at 100 us.
TEST(TrainNetwork, WhatIsKeptBackLeavesWithWhatIsSentNext) {
  const auto arrived = arrivals({{0, 2, 10'000}, {0, 1, 15'000}, {0, 1, 5'000, 50e-6}});
  EXPECT_NEAR(arrived[1], 20e-6 + 200e-6, kClose);
  EXPECT_NEAR(arrived[2], 20e-6 + 200e-6, kClose);
  const auto alone = arrivals({{0, 2, 10'000}, {0, 1, 15'000}});
  EXPECT_NEAR(alone[1], 20e-6 + 150e-6, kClose);
}

// It takes rank 3's message in from 20 to 40 us, and then, 0.2 us each, the others.
TEST(TrainNetwork, AHostTakesInWhatHasLandedByRank) {
  const Calibrated copying(kCopying);
  const auto arrived =
      arrivals({{3, 1, 10'000}, {2, 1, 100, 25e-6}, {0, 1, 100, 30e-6}}, copying.name());
  EXPECT_NEAR(arrived[0], 40e-6 + 20e-6, kClose);
  EXPECT_NEAR(arrived[2], 40.2e-6 + 20e-6, kClose);
  EXPECT_NEAR(arrived[1], 40.4e-6 + 20e-6, kClose);
}

/// Each end is busy with 5 us and 1 ns a byte.
constexpr const char* kEnds =
    "one_way:\n"
    "  - {bytes: 1, seconds: 10.002e-6, low: 10.002e-6, high: 10.002e-6}\n"
    "  - {bytes: 4000, seconds: 18e-6, low: 18e-6, high: 18e-6}\n"
    "  - {bytes: 10000, seconds: 30e-6, low: 30e-6, high: 30e-6}\n"
    "sending:\n"
    "  - {bytes: 1, seconds: 5.001e-6, low: 5.001e-6, high: 5.001e-6}\n"
    "  - {bytes: 10000, seconds: 15e-6, low: 15e-6, high: 15e-6}\n";

// Of its 20 us and 4 ns a byte.
TEST(TrainNetwork, AProcessorIsBusyWithAMessageForAsLongAsWasMeasured) {
  const std::string measured = std::string(kCopying) + kEnds;
  const Calibrated together(measured, {"a", "d"});
  for (const std::vector<Sent>& messages : {std::vector<Sent>{{0, 1, 10'000}, {3, 2, 10'000}},
                                            std::vector<Sent>{{1, 0, 10'000}, {2, 3, 10'000}}}) {
    const auto arrived = arrivals(messages, together.name());
    EXPECT_NEAR(arrived[0], 60e-6, kClose);
    EXPECT_NEAR(arrived[1], 75e-6, kClose);
  }
}

/// Of what like messages take.
struct MessageTimes {
  Seconds median, lower_quartile, upper_quartile;
  bool operator==(const MessageTimes&) const = default;
};

/// Of messages of `bytes`, one a millisecond.
MessageTimes times_of(std::size_t bytes, const std::string& platform, std::uint64_t seed) {
  constexpr int kMessages = 400;
  JobOptions options = exact();
  options.seed = seed;
  const auto values = run_job(platform, 3, options, [&](Worker& worker, std::span<double> found) {
    const int rank = worker.group().rank;
    if (rank > 1) return;
    const Buffer buffer = worker.allocate(bytes, DType::kByte);
    std::vector<Seconds> times;
    for (int i = 1; i <= kMessages; ++i) {
      pass(worker, i * 1e-3 - worker.now());
      Handle handle =
          rank == 0 ? worker.send(1, i, buffer.view()) : worker.receive(0, i, buffer.view());
      worker.wait(handle);
      times.push_back(worker.now() - i * 1e-3);
    }
    if (rank == 0) return;
    std::ranges::sort(times);
    found[0] = times[kMessages / 2];
    found[1] = times[kMessages / 4];
    found[2] = times[kMessages * 3 / 4];
  });
  return {values[0], values[1], values[2]};
}

/// A message takes 8 us more between two hosts that share a processor.
constexpr const char* kSliced =
    "one_way: [{bytes: 1, seconds: 10e-6, low: 10e-6, high: 10e-6}]\n"
    "one_way_sharing: [{bytes: 1, seconds: 18e-6, low: 18e-6, high: 18e-6}]\n";

// As it was measured: the sender looks once more when it has sent.
TEST(TrainNetwork, WhoHasUsedAProcessorLooksOnceMoreBeforeAnotherHasIt) {
  const std::string measured = std::string(kCopying) + kSliced;
  EXPECT_NEAR(times_of(10'000, Calibrated(measured, {"a"}).name(), 1).median, 60e-6, kClose);
  const MessageTimes times = times_of(10'000, Calibrated(measured, {"a", "b"}).name(), 1);
  EXPECT_NEAR(times.lower_quartile, 68e-6, kClose);
  EXPECT_NEAR(times.upper_quartile, 68e-6, kClose);
}

TEST(TrainNetwork, OthersThatOnlyLookMayBeAnywhereInTheirSlices) {
  constexpr Seconds kDrawn = 0.6e-6;
  const std::string measured = std::string(kCopying) + kSliced;
  EXPECT_NEAR(times_of(10'000, Calibrated(measured, {"a", "c"}).name(), 1).upper_quartile, 60e-6,
              kClose);
  const MessageTimes other = times_of(10'000, Calibrated(measured, {"b", "c"}).name(), 1);
  EXPECT_NEAR(other.lower_quartile, 62e-6, kDrawn);
  EXPECT_NEAR(other.upper_quartile, 66e-6, kDrawn);
  const MessageTimes both = times_of(10'000, Calibrated(measured, {"a", "b", "c"}).name(), 1);
  EXPECT_NEAR(both.lower_quartile, 70e-6, kDrawn);
  EXPECT_NEAR(both.upper_quartile, 74e-6, kDrawn);
}

// Rank 2's lands while rank 3's is still waited for, and is taken in first.
TEST(TrainNetwork, AReceiverTakesInByRankWhatHasLandedWhenItHasItsProcessor) {
  const Calibrated sliced(
      "eager_bytes: 10000000\ntrain_bytes: 10000\nmessages:\n"
      "  - {bytes: 16777216, latency_s: 20e-6, seconds_per_byte: 0}\n"
      "one_way: [{bytes: 1, seconds: 10e-6, low: 10e-6, high: 10e-6}]\n"
      "one_way_sharing: [{bytes: 1, seconds: 1010e-6, low: 1010e-6, high: 1010e-6}]\n",
      {"a", "b"});
  const auto arrived = arrivals({{3, 1, 100}, {2, 1, 100, 5e-6}}, sliced.name());
  EXPECT_LT(arrived[1], arrived[0]);
}

TEST(TrainNetwork, MessagesOfAConnectionArriveInOrderHoweverTheyDiffer) {
  const Calibrated differing(std::string(kCopying) +
                             "exchange: [{bytes: 1, seconds: 20e-6, low: 5e-6, high: 80e-6}]\n");
  const auto arrived = arrivals(std::vector<Sent>(4, {0, 1, 10}), differing.name());
  EXPECT_TRUE(std::ranges::is_sorted(arrived));
}

TEST(TrainNetwork, AReceiverThatSleepsIsWoken) {
  const Calibrated sleeping(
      std::string(kCopying) +
      "one_way: [{bytes: 1, seconds: 10e-6, low: 10e-6, high: 10e-6}]\n"
      "one_way_asleep: [{bytes: 1, seconds: 25e-6, low: 2e-5, high: 3e-5}]\n");
  EXPECT_NEAR(times_of(10'000, sleeping.name(), 1).median, 75e-6, kClose);
  const auto arrived = arrivals({{0, 1, 10'000, 300e-6}, {0, 1, 10'000, 400e-6}}, sleeping.name());
  EXPECT_NEAR(arrived[1], 400e-6 + 60e-6, kClose);
}

// The second host, one of the two that are calibrated, has a narrow wire: what 10,000 B waited for
// it is no work of others' ends.
TEST(TrainNetwork, WhatWaitedForACalibratedWireKeepsNoEndBusy) {
  const auto last_of = [](const std::string& one_way, const std::string& sending) {
    Calibrated copying(
        "eager_bytes: 10000000\ntrain_bytes: 10000\nmessages:\n"
        "  - {bytes: 5000, latency_s: 20e-6, seconds_per_byte: 4e-9}\n"
        "  - {bytes: 16777216, latency_s: -10e-6, seconds_per_byte: 10e-9}\n"
        "one_way:\n"
        "  - {bytes: 1, seconds: 10.002e-6, low: 10.002e-6, high: 10.002e-6}\n"
        "  - {bytes: 4000, seconds: 18e-6, low: 18e-6, high: 18e-6}\n" +
            one_way +
            "sending:\n"
            "  - {bytes: 1, seconds: 5.001e-6, low: 5.001e-6, high: 5.001e-6}\n"
            "  - {bytes: 4000, seconds: 9e-6, low: 9e-6, high: 9e-6}\n" +
            sending,
        {"c", "d"});
    copying.set_burst("b", "5000");
    return arrivals({{0, 2, 4'000}, {0, 3, 4'000}}, copying.name())[1];
  };
  EXPECT_NEAR(last_of("  - {bytes: 10000, seconds: 900e-6, low: 900e-6, high: 900e-6}\n",
                      "  - {bytes: 10000, seconds: 15e-6, low: 15e-6, high: 15e-6}\n"),
              last_of("", ""), kClose);
}

// Of 3 ns a byte where both ends share a processor the sender takes one, and the receiver two.
TEST(TrainNetwork, EndsOnOneProcessorCopyInTurn) {
  const std::string measured =
      std::string(kCopying) + kEnds +
      "one_way_sharing:\n"
      "  - {bytes: 1, seconds: 10.003e-6, low: 10.003e-6, high: 10.003e-6}\n"
      "  - {bytes: 10000, seconds: 40e-6, low: 40e-6, high: 40e-6}\n";
  EXPECT_NEAR(arrivals({{0, 1, 10'000}}, Calibrated(measured, {"a"}).name())[0], 60e-6, kClose);
  EXPECT_NEAR(arrivals({{0, 1, 10'000}}, Calibrated(measured, {"a", "b"}).name())[0], 70e-6,
              2 * kClose);
}

// The first host shares its processor with the third, whose wire is narrow: what 10,000 B waited
// for that is no work of the processor.
TEST(TrainNetwork, WhatWaitedForAWireIsNoCostOfSharingAProcessor) {
  Calibrated copying(std::string(kCopying) + kEnds +
                         "one_way_sharing:\n"
                         "  - {bytes: 1, seconds: 10.003e-6, low: 10.003e-6, high: 10.003e-6}\n"
                         "  - {bytes: 4000, seconds: 22e-6, low: 22e-6, high: 22e-6}\n"
                         "  - {bytes: 10000, seconds: 900e-6, low: 900e-6, high: 900e-6}\n",
                     {"a", "c"});
  copying.set_burst("c", "5000");
  EXPECT_NEAR(arrivals({{1, 0, 10'000}}, copying.name())[0], 70e-6, 2 * kClose);
}

// Four of its seven segments pass the first uplink at once, and the second, which the others reach
// no sooner than it has tokens for them.
TEST(TrainNetwork, WhatAWireCutsGoesOnSegmentBySegment) {
  const auto arrived = arrivals({{0, 2, 10'000}, {1, 3, 2'896}}, "trains_tree");
  EXPECT_NEAR(arrived[0], 20e-6 + (10'000 - 5'792) / 50e6, kClose);
  EXPECT_NEAR(arrived[1], 20e-6 + (12'896 - 5'792) / 50e6, kClose);
  // All of what was cut is acknowledged, and lets more follow.
  EXPECT_NEAR(arrivals({{0, 2, 100'000}}, "trains_tree")[0], 20e-6 + (100'000 - 5'792) / 50e6,
              kClose);
}

// When rank 3's train comes, five segments have left, and the others wait behind it.
TEST(TrainNetwork, AnotherTrainMayPassBetweenSegments) {
  const auto arrived = arrivals({{0, 2, 10'000}, {3, 2, 10'000, 30e-6}}, "trains_tree");
  EXPECT_NEAR(arrived[1], 20e-6 + (1'448 + 5'792 + 10'000 - 10'000) / 100e6, kClose);
  EXPECT_NEAR(arrived[0], 20e-6 + (20'000 - 10'000) / 100e6, kClose);
}

// Of small messages the one quartile is twice the other; larger ones differ by as much.
TEST(TrainNetwork, MessagesDifferAsSmallOnesDidWhereTheyWereMeasured) {
  const Calibrated differing(std::string(kCopying) +
                             "exchange:\n"
                             "  - {bytes: 1, seconds: 20e-6, low: 14e-6, high: 28e-6}\n"
                             "  - {bytes: 50000, seconds: 550e-6, low: 1e-6, high: 1}\n");
  const MessageTimes small = times_of(1, differing.name(), 1);
  EXPECT_EQ(times_of(1, differing.name(), 1), small);
  EXPECT_NE(times_of(1, differing.name(), 2), small);
  EXPECT_NEAR(small.median, 20e-6, 1e-6);
  EXPECT_NEAR(small.upper_quartile / small.lower_quartile, 2, 0.2);
  const MessageTimes large = times_of(50'000, differing.name(), 1);
  EXPECT_NEAR(large.median, 60e-6 + 400e-6, 1e-6);
  EXPECT_NEAR(large.upper_quartile - large.lower_quartile,
              small.upper_quartile - small.lower_quartile, 2e-6);
}

}  // namespace
}  // namespace tandem
