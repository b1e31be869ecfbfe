// What the conformance suite can't ask of every world: order, time, and how a job ends.

#include "sim/worker.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/collectives/ring.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SimWorker, AnyReceiveTakesWhoeverPostedFirst) {
  // Ranks 3, 1, 2 send in that order, before or after the server asks.
  for (const Seconds server_comes : {0.0, 1.0}) {
    const auto peers = run_job("star", 4, exact(), [&](Worker& worker, std::span<double> peers) {
      const Buffer buffer = worker.allocate(100, DType::kFloat32);
      const int rank = worker.group().rank;
      if (rank > 0) {
        constexpr Seconds kComes[] = {0, 0.2, 0.3, 0.1};
        pass(worker, kComes[rank]);
        Handle handle = worker.send(0, 1, buffer.view());
        worker.wait(handle);
        return;
      }
      pass(worker, server_comes);
      for (int i = 1; i < 4; ++i) {
        Handle handle = worker.receive(kAnyPeer, 1, buffer.view());
        peers[i] = worker.wait(handle).peer;
      }
    });
    EXPECT_THAT(peers, testing::ElementsAre(0, 3, 1, 2));
  }
}

TEST(SimWorker, AnyReceiveIsMetWhileItsMemberComputes) {
  const auto ends = run_job("star", 2, exact(), [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(1'000'000, DType::kByte);
    const int rank = worker.group().rank;
    Handle handle =
        rank == 0 ? worker.receive(kAnyPeer, 1, buffer.view()) : worker.send(0, 1, buffer.view());
    if (rank == 0) pass(worker, 1);
    worker.wait(handle);
    ends[rank] = worker.now();
  });
  EXPECT_NEAR(ends[0], 1, 1e-12);
  EXPECT_NEAR(ends[1], 1.05e-3, 1e-12);
}

TEST(SimWorker, SpecificAndAnyReceivesKeepTheirOrder) {
  const auto values = run_job("star", 2, exact(), [&](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(10, DType::kByte);
    if (worker.group().rank == 0) {
      Handle handles[] = {worker.receive(1, 1, buffer.view()),
                          worker.receive(kAnyPeer, 1, buffer.view())};
      const std::optional<Completion> completion = worker.wait_any(handles);
      values[0] = static_cast<double>(completion->index);
      wait_all(worker, handles);
    } else {
      Handle first = worker.send(0, 1, buffer.view());
      worker.wait(first);
      pass(worker, 1);
      Handle second = worker.send(0, 1, buffer.view());
      worker.wait(second);
    }
  });
  EXPECT_EQ(values[0], 0);
}

TEST(SimWorker, WaitAnyGivesUpToTheSecond) {
  const auto values = run_job("star", 2, exact(), [&](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(10, DType::kByte);
    if (worker.group().rank == 1) {
      pass(worker, 1);
      Handle handle = worker.send(0, 1, buffer.view());
      worker.wait(handle);
      return;
    }
    Handle handle = worker.receive(1, 1, buffer.view());
    EXPECT_FALSE(worker.wait_any({&handle, 1}, 0));
    EXPECT_EQ(worker.now(), 0);
    EXPECT_FALSE(worker.wait_any({&handle, 1}, 0.25));
    values[0] = worker.now();
    EXPECT_TRUE(worker.wait_any({&handle, 1}, 10));
    values[1] = worker.now();
  });
  EXPECT_NEAR(values[0], 0.25, 1e-12);
  EXPECT_NEAR(values[1], 1 + 50e-6 + 10e-9, 1e-12);
}

TEST(SimWorker, RecordsTrafficWhenItHasPassed) {
  run_job("star", 2, exact(), [&](Worker& worker, std::span<double>) {
    const Buffer buffer = worker.allocate(3000, DType::kByte);
    Handle handle = worker.group().rank == 0 ? worker.send(1, 1, buffer.view())
                                             : worker.receive(0, 1, buffer.view());
    worker.wait(handle);
    const Traffic traffic = worker.record().traffic();
    const bool sends = worker.group().rank == 0;
    EXPECT_EQ(traffic.sent_bytes, sends ? 3000U : 0U);
    EXPECT_EQ(traffic.received_bytes, sends ? 0U : 3000U);
    EXPECT_EQ(traffic.sent_packets, sends ? 3U : 0U);
  });
}

TEST(SimWorker, WithoutPayloadBuffersHaveNoDataAndKernelsDoNotRun) {
  run_job("star", 1, exact(), [&](Worker& worker, std::span<double>) {
    EXPECT_FALSE(worker.allocate(10, DType::kFloat32).view().has_data());
    Handle handle = worker.compute(
        {.phase = Phase::kUpdate, .name = "test", .flops = 1, .bytes = 0, .body = [] {
           ADD_FAILURE() << "was run";
         }});
    EXPECT_EQ(worker.now(), 1);
  });
}

TEST(JobEnd, ADeadlockIsAnErrorThatNamesTheRanks) {
  const auto outcome = try_job("star", 3, exact(), [&](Worker& worker, std::span<double>) {
    const Buffer buffer = worker.allocate(10, DType::kByte);
    const int rank = worker.group().rank;
    if (rank == 2) return;
    Handle handle = worker.receive(1 - rank, 1, buffer.view());
    worker.wait(handle);
  });
  EXPECT_EQ(outcome.exit_code, kExitRunFailed);
  EXPECT_THAT(outcome.message,
              AllOf(HasSubstr("deadlock"), HasSubstr("rank 0 waits for rank 1"),
                    HasSubstr("rank 1 waits for rank 0"), Not(HasSubstr("rank 2"))));
  EXPECT_EQ(outcome.standard_error, "");
}

TEST(JobEnd, ACollectiveThatNotAllStartIsAnError) {
  for (const ExecutorKind executor : {ExecutorKind::kExact, ExecutorKind::kFused}) {
    JobOptions options;
    options.executor = executor;
    const auto outcome = try_job("star", 3, options, [&](Worker& worker, std::span<double>) {
      if (worker.group().rank == 1) return;
      const Buffer buffer = worker.allocate(30, DType::kFloat32);
      Handle handle = worker.start(ring_all_reduce(3, worker.group().rank, 30), buffer.view());
      worker.wait(handle);
    });
    EXPECT_EQ(outcome.exit_code, kExitRunFailed);
    EXPECT_EQ(outcome.message, "rank 1 was lost");
  }
}

TEST(JobEnd, AMemberThatEndsIsLostToThoseThatWaitForIt) {
  run_job("star", 3, exact(), [&](Worker& worker, std::span<double>) {
    const Buffer buffer = worker.allocate(10, DType::kByte);
    const int rank = worker.group().rank;
    if (rank == 1) return pass(worker, 1);
    Handle handle =
        rank == 0 ? worker.receive(1, 1, buffer.view()) : worker.send(1, 2, buffer.view());
    int lost = -1;
    try {
      worker.wait(handle);
    } catch (const PeerLost& error) {
      lost = error.peer();
    }
    EXPECT_EQ(lost, 1);
    EXPECT_EQ(worker.now(), 1);
  });
}

TEST(JobEnd, TheFirstErrorComesOutAndNotItsEchoes) {
  const auto outcome = try_job("star", 3, exact(), [&](Worker& worker, std::span<double>) {
    if (worker.group().rank == 2) throw InputError("this one");
    const Buffer buffer = worker.allocate(10, DType::kByte);
    Handle handle = worker.receive(2, 1, buffer.view());
    worker.wait(handle);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.message, "this one");
}

TEST(JobEnd, AHostThatFailsIsLostToItsPeersAndEndsTheJobWithAnError) {
  const auto outcome = try_job("star", 3, exact(), [&](Worker& worker, std::span<double> values) {
    const Buffer buffer = worker.allocate(1'000'000'000, DType::kByte);
    const int rank = worker.group().rank;
    if (rank == 2) {
      simgrid::s4u::this_actor::sleep_for(0.5);
      simgrid::s4u::Host::by_name("node-1")->turn_off();
      return;
    }
    Handle handle = rank == 0 ? worker.receive(1, 1, buffer.view())
                              : worker.send(0, 1, buffer.view());  // takes a second
    try {
      worker.wait(handle);
    } catch (const PeerLost& error) {
      values[rank] = error.peer();
    }
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_EQ(outcome.message,
            "platform " + test_platform("star") +
                ": host node-1 of rank 1 fails at 0.5 s of simulated time, by its state_file; what "
                "a job makes of that is simulated by faults.fail of a scenario");
  EXPECT_EQ(outcome.values[0], 1);
}

TEST(JobEnd, WhatIsLeftOverIsAnError) {
  const auto message = try_job("star", 2, exact(), [&](Worker& worker, std::span<double>) {
    if (worker.group().rank == 1) return;
    const Buffer buffer = worker.allocate(3, DType::kFloat32);
    const Handle sent = worker.send(1, 9, buffer.view());
  });
  EXPECT_EQ(message.exit_code, kExitRunFailed);
  EXPECT_EQ(message.message,
            "a message is left over: rank 0 sent rank 1 12 bytes (tag 9) that it never received");
  const auto receive = try_job("star", 2, exact(), [&](Worker& worker, std::span<double>) {
    if (worker.group().rank == 0) return;
    const Buffer buffer = worker.allocate(3, DType::kFloat32);
    const Handle never = worker.receive(kAnyPeer, 9, buffer.view());
  });
  EXPECT_EQ(receive.message,
            "a receive is left over: rank 1 waits for any rank (tag 9), who sent nothing");
}

TEST(JobEnd, MembersOnOneHostMoveMessagesInNoTime) {
  JobOptions options = exact();
  options.hosts = {0, 1, 0};
  const auto ends = run_job("star", 3, options, [&](Worker& worker, std::span<double> ends) {
    const Buffer buffer = worker.allocate(1'000'000, DType::kByte);
    const int rank = worker.group().rank;
    std::vector<Handle> handles;
    if (rank < 2) handles.push_back(worker.send(2, rank, buffer.view()));
    for (int peer = 0; rank == 2 && peer < 2; ++peer) {
      handles.push_back(worker.receive(peer, peer, buffer.view()));
    }
    wait_all(worker, handles);
    ends[rank] = worker.now();
  });
  EXPECT_EQ(ends[0], 0);
  EXPECT_NEAR(ends[1], 1.05e-3, 1e-12);
  EXPECT_NEAR(ends[2], 1.05e-3, 1e-12);
}

TEST(JobEnd, MessagesOfOtherSizesThanExpectedAreAnError) {
  const auto outcome = try_job("star", 2, exact(), [&](Worker& worker, std::span<double>) {
    const bool sends = worker.group().rank == 0;
    const Buffer buffer = worker.allocate(sends ? 10 : 20, DType::kByte);
    Handle handle = sends ? worker.send(1, 1, buffer.view()) : worker.receive(0, 1, buffer.view());
    worker.wait(handle);
  });
  EXPECT_EQ(outcome.message, "a receive of 20 bytes met a message of 10 bytes from rank 0");
}

}  // namespace
}  // namespace tandem
