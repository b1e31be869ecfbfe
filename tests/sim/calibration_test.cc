// What a calibration adds to messages, in both executors.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/collectives/ring.h"
#include "sim/placement.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

JobOptions with(ExecutorKind executor) {
  JobOptions options;
  options.executor = executor;
  return options;
}

/// What a message of so many bytes from rank 0 to rank `peer` takes.
Seconds message_time(std::size_t bytes, int peer) {
  return run_job("calibrated", 3, with(ExecutorKind::kExact),
                 [=](Worker& worker, std::span<double> values) {
                   const Buffer buffer = worker.allocate(bytes, DType::kByte);
                   if (worker.group().rank == 0) {
                     Handle sent = worker.send(peer, 0, buffer.view());
                     worker.wait(sent);
                   } else if (worker.group().rank == peer) {
                     Handle received = worker.receive(0, 0, buffer.view());
                     worker.wait(received);
                     values[peer] = worker.now();
                   }
                 })[peer];
}

TEST(CalibratedMessages, TakeWhatWasMeasured) {
  EXPECT_NEAR(message_time(500, 1), 70e-6 + 500 * 10e-9, 1e-12);
  EXPECT_NEAR(message_time(100'000, 1), 130e-6 + 100'000 * 12e-9, 1e-12);
  EXPECT_NEAR(message_time(10'000'000, 1), 130e-6 + 10'000'000 * 12e-9, 1e-9);
}

// The costs are the hosts' and the protocols', so they come on top of a slower link's time.
TEST(CalibratedMessages, OverASlowerLinkTakeItsTimeAndTheSameCosts) {
  EXPECT_NEAR(message_time(100'000, 2), 50e-6 + 80e-6 + 100'000 * (20e-9 + 2e-9), 1e-12);
}

TEST(CalibratedMessages, AreTheSameToTheFusedExecutor) {
  const auto all_reduce = [](ExecutorKind executor) {
    return run_job("calibrated", 3, with(executor), [](Worker& worker, std::span<double> values) {
      constexpr std::size_t kElements = 300'000;
      const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
      pass(worker, 1e-3 * worker.group().rank);
      Handle sum = worker.start(
          ring_all_reduce(worker.group().size, worker.group().rank, kElements), buffer.view());
      worker.wait(sum);
      values[worker.group().rank] = worker.now();
    });
  };
  const auto exact = all_reduce(ExecutorKind::kExact), fused = all_reduce(ExecutorKind::kFused);
  for (int rank = 0; rank < 3; ++rank) EXPECT_NEAR(fused[rank], exact[rank], 1e-9) << rank;
  EXPECT_GT(exact[0], 4 * (130e-6 + 400'000 * 22e-9));
}

/// When two messages of so many bytes arrive that rank 0 sends to rank 1 at once.
std::vector<Seconds> two_together(std::size_t bytes) {
  return run_job(
      "calibrated", 3, with(ExecutorKind::kExact), [=](Worker& worker, std::span<double> values) {
        if (worker.group().rank == 2) return;
        const Buffer buffers[] = {worker.allocate(bytes, DType::kByte),
                                  worker.allocate(bytes, DType::kByte)};
        Handle handles[2];
        for (int i = 0; i < 2; ++i) {
          handles[i] = worker.group().rank == 0 ? worker.send(1, i, buffers[i].view())
                                                : worker.receive(0, i, buffers[i].view());
        }
        for (int i = 0; i < 2; ++i) {
          worker.wait(handles[i]);
          if (worker.group().rank == 1) values[i] = worker.now();
        }
      });
}

TEST(CalibratedMessages, OfAConnectionFollowOneAnotherWhereTheyAreSentUnasked) {
  const std::vector<Seconds> unasked = two_together(5'000);
  EXPECT_NEAR(unasked[0], 130e-6 + 5'000 * 12e-9, 1e-12);
  EXPECT_NEAR(unasked[1], 130e-6 + 2 * 5'000 * 12e-9, 1e-10);
  const std::vector<Seconds> asked = two_together(5'001);
  EXPECT_NEAR(asked[0], 130e-6 + 2 * 5'001 * 12e-9, 1e-12);
  EXPECT_NEAR(asked[1], asked[0], 1e-12);
}

// As it was when it was sent, and whether or not its sender is still there.
TEST(CalibratedMessages, SentUnaskedWaitForTheirReceiver) {
  JobOptions options = with(ExecutorKind::kExact);
  options.depth = Depth::kPayload;
  const auto values =
      run_job("calibrated", 2, options, [](Worker& worker, std::span<double> values) {
        const Buffer buffer = worker.allocate(1'000, DType::kFloat32);
        const std::span<float> numbers = buffer.view().floats();
        if (worker.group().rank == 0) {
          std::ranges::fill(numbers, 1.0F);
          Handle sent = worker.send(1, 0, buffer.view());
          worker.wait(sent);
          std::ranges::fill(numbers, 2.0F);
          values[0] = worker.now();
        } else {
          pass(worker, 1);
          Handle received = worker.receive(0, 0, buffer.view());
          worker.wait(received);
          EXPECT_THAT(numbers, testing::Each(1.0F));
          values[1] = worker.now();
        }
      });
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 1);
}

// The slow host's message is sent first, behind another of its connection, and arrives last.
TEST(CalibratedMessages, SentUnaskedMeetAnAnyReceiveAsTheyArrive) {
  const auto senders = [](Seconds late) {
    return run_job("calibrated", 3, with(ExecutorKind::kExact),
                   [=](Worker& worker, std::span<double> values) {
                     const Buffer buffer = worker.allocate(4'000, DType::kByte);
                     const Buffer other = worker.allocate(5'000, DType::kByte);
                     const int rank = worker.group().rank;
                     if (rank == 1) {
                       if (late > 0) pass(worker, late);
                       Handle before = worker.receive(2, 1, other.view());
                       for (int i = 0; i < 2; ++i) {
                         Handle received = worker.receive(kAnyPeer, 0, buffer.view());
                         values[i] = worker.wait(received).peer;
                       }
                       worker.wait(before);
                       values[2] = worker.now();
                       return;
                     }
                     if (rank == 0) pass(worker, 10e-6);
                     Handle before = rank == 2 ? worker.send(1, 1, other.view()) : Handle{};
                     Handle sent = worker.send(1, 0, buffer.view());
                     worker.wait(sent);
                     if (rank == 2) worker.wait(before);
                   });
  };
  const std::vector<double> waiting = senders(0), late = senders(1);
  EXPECT_THAT(waiting, testing::ElementsAre(0, 2, testing::Lt(1e-3)));
  EXPECT_THAT(late, testing::ElementsAre(0, 2, 1));
}

// A receive of a known source that comes after an any-receive does not take its message.
TEST(CalibratedMessages, SentUnaskedMeetReceivesInTheirOrder) {
  const auto values = run_job("calibrated", 2, with(ExecutorKind::kExact),
                              [](Worker& worker, std::span<double> values) {
                                const Buffer buffer = worker.allocate(4'000, DType::kByte);
                                if (worker.group().rank == 0) {
                                  pass(worker, 1e-3);
                                  for (int i = 0; i < 2; ++i) {
                                    Handle sent = worker.send(1, 0, buffer.view());
                                    worker.wait(sent);
                                  }
                                  return;
                                }
                                Handle first = worker.receive(kAnyPeer, 0, buffer.view());
                                Handle second = worker.receive(0, 0, buffer.view());
                                worker.wait(first);
                                values[0] = worker.now();
                                worker.wait(second);
                                values[1] = worker.now();
                              });
  EXPECT_NEAR(values[0], 1e-3 + 130e-6 + 4'000 * 12e-9, 1e-9);
  EXPECT_NEAR(values[1], values[0] + 4'000 * 12e-9, 1e-9);
}

TEST(CalibratedMessages, SentUnaskedOfAnotherSizeOrToNobodyAreErrors) {
  const auto meeting = [](std::size_t received) {
    return try_job("calibrated", 2, with(ExecutorKind::kExact),
                   [=](Worker& worker, std::span<double>) {
                     const bool sends = worker.group().rank == 0;
                     const std::size_t bytes = sends ? 1'000 : received;
                     if (bytes == 0) return;
                     const Buffer buffer = worker.allocate(bytes, DType::kByte);
                     Handle handle = sends ? worker.send(1, 0, buffer.view())
                                           : worker.receive(0, 0, buffer.view());
                     worker.wait(handle);
                   })
        .message;
  };
  EXPECT_EQ(meeting(1'000), "");
  EXPECT_THAT(meeting(999), testing::HasSubstr("999 bytes met a message of 1000 bytes"));
  EXPECT_THAT(meeting(0), testing::HasSubstr("1000 bytes"));
}

// A collective's messages that are sent unasked don't wait for a straggler, which those that are
// asked for do; so rounds can't be told without simulating them.
TEST(CalibratedMessages, OfFusedCollectivesAreNotSentUnasked) {
  const auto outcome =
      try_job("calibrated", 2, with(ExecutorKind::kFused), [](Worker& worker, std::span<double>) {
        const Buffer buffer = worker.allocate(2'500, DType::kFloat32);
        Handle sum = worker.start(ring_all_reduce(2, worker.group().rank, 2'500), buffer.view());
        worker.wait(sum);
      });
  EXPECT_THAT(outcome.message, testing::HasSubstr("sent unasked"));
}

TEST(CalibratedMessages, AreSaidInTheResult) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(test_platform("calibrated"), Depth::kSizes);
    const nlohmann::json description = engine.describe();
    EXPECT_EQ(description["settings"]["network/latency-factor"], "by the calibration");
    EXPECT_THAT(description["calibration"].get<std::string>(), testing::HasSubstr("made up"));
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

/// When the last of some messages arrives, with a rest of `rest` between them.
Seconds last_arrival(int messages, Seconds rest, const std::string& platform = "shaped",
                     std::size_t bytes = 50'000) {
  return run_job(platform, 2, with(ExecutorKind::kExact),
                 [=](Worker& worker, std::span<double> values) {
                   const Buffer buffer = worker.allocate(bytes, DType::kByte);
                   for (int i = 0; i < messages; ++i) {
                     if (i > 0) pass(worker, rest);
                     Handle handle = worker.group().rank == 0 ? worker.send(1, 0, buffer.view())
                                                              : worker.receive(0, 0, buffer.view());
                     worker.wait(handle);
                   }
                   values[worker.group().rank] = worker.now();
                 })[1];
}

// 10,000 B of depth at 100 MB/s: the first message finds it full, another what came in its rest and
// while its first byte was on the way.
TEST(Bursts, PassAtOnceAfterARest) {
  const Seconds alone = 50e-6 + 50'000 / 100e6, depth = 10'000 / 100e6;
  EXPECT_NEAR(last_arrival(1, 0), alone - depth, 1e-9);
  EXPECT_NEAR(last_arrival(2, 0), 2 * alone - depth - 50e-6, 1.1e-8);  // in whole bytes
  EXPECT_NEAR(last_arrival(2, 20e-6), 2 * alone - depth - 50e-6, 1.1e-8);
  EXPECT_NEAR(last_arrival(2, 1), 1 + 2 * (alone - depth), 1e-9);
}

// Tokens come while bytes are copied, 4 ns each: many messages of 10,000 B use up what 10,000 B of
// depth and 100 MB/s give them, and are no slower for the copying.
TEST(Bursts, ComeBackWhileBytesAreMoved) {
  const Seconds copied = 10'000 * 4e-9;
  EXPECT_NEAR(last_arrival(1, 0, "shaped_copying", 10'000), 50e-6 + copied, 1.1e-8);
  EXPECT_NEAR(last_arrival(20, 0, "shaped_copying", 10'000), 50e-6 + 190'000 / 100e6, 2e-7);
}

TEST(Bursts, TakeWhatWasMeasuredWhereMessagesGetLessThanTheBandwidth) {
  EXPECT_NEAR(last_arrival(1, 0, "shaped_steep", 9'000), 50e-6 + 9'000 * 4e-9, 2e-8);
  EXPECT_NEAR(last_arrival(1, 0, "shaped_steep", 100'000), -50e-6 + 100'000 * 15e-9, 2e-8);
}

// Where a message costs less than nothing, its first byte comes no earlier than it was sent.
TEST(Bursts, AreNotTakenBeforeAMessageBegins) {
  const Seconds two = last_arrival(2, 0, "shaped_calibrated", 8'000);
  EXPECT_GE(two, 6'000 / 100e6);  // of 10,000 B at once
  EXPECT_LT(two, 16'000 / 100e6 + 100e-6);
}

// GPUs of one machine, and its processors for the server.
TEST(Placement, ServersTakeTheHostsThatAreMeantForThem) {
  const auto outcome = in_child([](std::span<double>) {
    const Engine engine(TANDEM_PLATFORMS "/gce_k80x8.xml", Depth::kSizes);
    Scenario scenario;
    scenario.workers = 2;
    scenario.algorithm.name = "parameter_server";
    EXPECT_THAT(member_hosts(engine, scenario), testing::ElementsAre(0, 1, 8));
    Fabric fabric(engine, engine.place(3, member_hosts(engine, scenario)));
    EXPECT_EQ(fabric.path(0, 2).bandwidth, 12e9);
    EXPECT_EQ(fabric.path(0, 2).shared_links.size(), 3U);  // the GPU's, its board's, the memory
    EXPECT_NE(fabric.path(0, 2).shared_links[0], fabric.path(2, 0).shared_links[2]);  // full duplex
    scenario.algorithm.placement = Placement::kWorkers;
    EXPECT_THAT(member_hosts(engine, scenario), testing::ElementsAre(0, 1, 0));
    scenario.workers = 9;
    member_hosts(engine, scenario);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, testing::HasSubstr("has 8 hosts for workers"));
}

}  // namespace
}  // namespace tandem
