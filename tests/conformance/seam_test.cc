// What every Worker must do, whatever world it lives in. Compiled once a backend, with that
// backend's World.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "core/collectives/all_reduce.h"
#include "core/collectives/binomial_broadcast.h"
#include "core/collectives/measure.h"
#include "core/collectives/pairwise_all_to_all.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"
#include "core/record/recorder.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

class Seam : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!world_->supports(ranks())) GTEST_SKIP() << "this world has no job of " << ranks();
  }
  int ranks() const { return GetParam(); }
  void run(const std::function<void(Worker&)>& member) { world_->run(ranks(), member); }

 private:
  std::unique_ptr<World> world_ = make_world();
};

class SeamOfTwo : public Seam {};

Buffer filled(Worker& worker, std::size_t elements, float first) {
  Buffer buffer = worker.allocate(elements, DType::kFloat32);
  std::iota(buffer.view().floats().begin(), buffer.view().floats().end(), first);
  return buffer;
}

float at(const Buffer& buffer, std::size_t index) {
  return buffer.view().floats()[index];
}

TEST_P(Seam, KnowsItsGroup) {
  run([&](Worker& worker) {
    EXPECT_EQ(worker.group().size, ranks());
    EXPECT_GE(worker.group().rank, 0);
    EXPECT_LT(worker.group().rank, ranks());
  });
}

TEST_P(Seam, AllocatesZeroedMemory) {
  run([](Worker& worker) {
    const Buffer buffer = worker.allocate(1000, DType::kFloat32);
    ASSERT_TRUE(buffer.view().has_data());
    EXPECT_THAT(buffer.view().floats(), testing::Each(0.0F));
  });
}

TEST_P(Seam, ComputesAndItsClockNeverRunsBackwards) {
  run([](Worker& worker) {
    const Seconds before = worker.now();
    bool ran = false;
    Handle handle = worker.compute(
        {.phase = Phase::kUpdate, .name = "test", .flops = 1e3, .bytes = 1e3, .body = [&] {
           ran = true;
         }});
    worker.wait(handle);
    EXPECT_TRUE(ran);
    EXPECT_TRUE(handle.empty());
    EXPECT_GE(worker.now(), before);
  });
}

TEST_P(Seam, EachSendsToTheNext) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    if (ranks() == 1) return;
    const Buffer out = filled(worker, 5000, static_cast<float>(rank));
    const Buffer in = worker.allocate(5000, DType::kFloat32);
    const int next = (rank + 1) % ranks();
    const int previous = (rank + ranks() - 1) % ranks();
    Handle handles[] = {worker.receive(previous, 7, in.view()), worker.send(next, 7, out.view())};
    wait_all(worker, handles);
    EXPECT_EQ(at(in, 0), static_cast<float>(previous));
    EXPECT_EQ(at(in, 4999), static_cast<float>(previous + 4999));
    EXPECT_EQ(worker.record().traffic().sent_bytes, 20000U);
    EXPECT_EQ(worker.record().traffic().received_bytes, 20000U);
  });
}

TEST_P(Seam, CollectivesRunInOrderWhileTheMemberComputes) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    constexpr std::size_t kSizes[] = {1, 3, 1000, 4097};
    std::vector<Buffer> buffers;
    std::vector<Handle> handles;
    for (const std::size_t size : kSizes) {
      buffers.push_back(filled(worker, size, static_cast<float>(rank)));
      handles.push_back(worker.start(ring_all_reduce(ranks(), rank, size), buffers.back().view()));
      Handle computed =
          worker.compute({.phase = Phase::kBackward, .name = "test", .flops = 1e4, .body = {}});
      worker.wait(computed);
    }
    wait_all(worker, handles);
    const auto ranks_sum = static_cast<float>(ranks() * (ranks() - 1) / 2);
    for (const Buffer& buffer : buffers) {
      const std::size_t last = buffer.view().elements - 1;
      EXPECT_EQ(at(buffer, 0), ranks_sum);
      EXPECT_EQ(at(buffer, last), ranks_sum + static_cast<float>(ranks() * last));
    }
  });
}

// Even ranks three times, odd ones once; then all together.
TEST_P(Seam, GroupsOfItRunCollectivesOfTheirOwn) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    std::vector<int> alike;
    for (int other = rank % 2; other < ranks(); other += 2) alike.push_back(other);
    const int size = static_cast<int>(alike.size());
    const int times = rank % 2 == 0 ? 3 : 1;
    const Buffer buffer = filled(worker, 1000, static_cast<float>(rank));
    std::vector<Handle> handles;
    for (int i = 0; i < times; ++i) {
      handles.push_back(
          worker.start(subgroup(ring_all_reduce(size, rank / 2, 1000), alike), buffer.view()));
    }
    handles.push_back(worker.start(ring_all_reduce(ranks(), rank, 1000), buffer.view()));
    wait_all(worker, handles);
    const auto group_sum = [&](int parity) {
      float sum = 0;
      int members = 0;
      for (int other = parity; other < ranks(); other += 2, ++members) {
        sum += static_cast<float>(other);
      }
      // Each time the sums of all members are summed up.
      const int repeats = parity == 0 ? 3 : 1;
      for (int i = 1; i < repeats; ++i) sum *= static_cast<float>(members);
      return sum * static_cast<float>(members);  // of all, each of whom has the group's sum
    };
    EXPECT_EQ(at(buffer, 0), group_sum(0) + group_sum(1));
  });
}

TEST_P(Seam, RunsEveryAllReduce) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    const AllReduceOptions options = {.segment_bytes = 400, .node_size = 3};
    for (const std::string& name : all_reduce_names()) {
      for (const std::size_t elements : {1UL, 5UL, 4097UL}) {
        const Buffer buffer = filled(worker, elements, static_cast<float>(rank));
        Handle sum =
            worker.start(all_reduce(name, options)(ranks(), rank, elements), buffer.view());
        worker.wait(sum);
        const auto ranks_sum = static_cast<float>(ranks() * (ranks() - 1) / 2);
        EXPECT_EQ(at(buffer, 0), ranks_sum) << name;
        EXPECT_EQ(at(buffer, elements - 1),
                  ranks_sum + static_cast<float>(ranks() * (elements - 1)))
            << name;
      }
    }
  });
}

TEST_P(Seam, RunsTheOtherCollectives) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    const auto n = static_cast<std::size_t>(ranks());
    const auto start = [&](auto make, const Buffer& buffer) {
      Handle handle = worker.start(make(ranks(), rank, buffer.view().elements), buffer.view());
      worker.wait(handle);
    };
    const Buffer sums = filled(worker, 3 * n, static_cast<float>(rank));
    start(ring_reduce_scatter, sums);
    EXPECT_EQ(at(sums, 3 * rank), static_cast<float>(n * (n - 1) / 2 + n * 3 * rank));

    const Buffer gathered = filled(worker, 3 * n, static_cast<float>(100 * rank));
    start(ring_all_gather, gathered);
    for (std::size_t i = 0; i < 3 * n; ++i) {
      EXPECT_EQ(at(gathered, i), static_cast<float>(100 * (i / 3) + i));
    }

    const Buffer told = filled(worker, 1000, static_cast<float>(rank));
    start(binomial_broadcast, told);
    EXPECT_EQ(at(told, 999), 999.0F);

    const Buffer blocks = filled(worker, 2 * n, static_cast<float>(100 * rank));
    start(pairwise_all_to_all, blocks);
    for (std::size_t peer = 0; peer < n; ++peer) {
      if (static_cast<int>(peer) == rank) continue;
      EXPECT_EQ(at(blocks, n + peer), static_cast<float>(100 * peer + rank));
    }
  });
}

TEST_P(Seam, MeasuresTheSameNetworkOnEveryRank) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    const AllReduceOptions options = {.node_size = 2};
    const NetworkFigures figures = measure_network(worker, options, 1e9 * (rank + 1));
    EXPECT_EQ(figures.adding_bandwidth, 1e9F);
    EXPECT_EQ(figures.shifts.size() + 2, figure_patterns(ranks(), options).size());
    for (const LinkFigures& link : figures.shifts) EXPECT_GT(link.bandwidth, 0);
    const float cost = static_cast<float>(
        ranks() > 1 ? all_reduce_cost("ring", ranks(), 1'000'000, options, figures) : 0);
    const Buffer costs = worker.allocate(static_cast<std::size_t>(ranks()), DType::kFloat32);
    costs.view().floats()[rank] = cost;
    Handle gathered = worker.start(ring_all_gather(ranks(), rank, ranks()), costs.view());
    worker.wait(gathered);
    EXPECT_THAT(costs.view().floats(), testing::Each(cost));
  });
}

/// Works, as a kernel that never looks at its messages would, until `done` or for 20 s.
void spin_until(const std::function<bool()>& done) {
  const auto begin = std::chrono::steady_clock::now();
  while (!done() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
  }
}

TEST_P(Seam, CollectivesGoOnInsideOfOneLongKernel) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    const std::size_t elements = 1000UL * static_cast<std::size_t>(ranks());
    const std::uint64_t expected = 2UL * (ranks() - 1) * 4000UL;
    const Buffer buffer = filled(worker, elements, 0);
    const Buffer token = worker.allocate(1, DType::kByte);
    if (rank > 0) {  // begins only once rank 0's start() has returned
      Handle go = worker.receive(0, 1, token.view());
      worker.wait(go);
    }
    Handle sum = worker.start(ring_all_reduce(ranks(), rank, elements), buffer.view());
    for (int peer = 1; rank == 0 && peer < ranks(); ++peer) {
      Handle go = worker.send(peer, 1, token.view());
      worker.wait(go);
    }
    const auto moved = [&] {
      const Traffic traffic = worker.record().traffic();
      return traffic.sent_bytes >= expected && traffic.received_bytes >= expected;
    };
    bool done_inside = false;
    Handle computed = worker.compute({.phase = Phase::kBackward,
                                      .name = "long",
                                      .flops = 1e9,  // in simulated time, a second
                                      .body = [&] {
                                        spin_until(moved);
                                        done_inside = moved();
                                      }});
    worker.wait(computed);
    EXPECT_TRUE(done_inside);
    worker.wait(sum);
    EXPECT_EQ(at(buffer, 1), static_cast<float>(ranks()));
  });
}

TEST_P(Seam, RingSendsTheLeastThatAnAllReduceCan) {
  run([&](Worker& worker) {
    const std::size_t elements = 1000UL * static_cast<std::size_t>(ranks());
    const Buffer buffer = filled(worker, elements, 0);
    Handle handle =
        worker.start(ring_all_reduce(ranks(), worker.group().rank, elements), buffer.view());
    worker.wait(handle);
    const std::uint64_t expected = 2UL * (ranks() - 1) * 4000UL;  // 2(N-1)/N of the buffer
    EXPECT_EQ(worker.record().traffic().sent_bytes, expected);
    EXPECT_EQ(worker.record().traffic().received_bytes, expected);
  });
}

TEST_P(Seam, ServerTakesWhoeverComesFirst) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    if (rank > 0) {
      const Buffer out = filled(worker, 10, static_cast<float>(rank));
      Handle sent = worker.send(0, 3, out.view());
      worker.wait(sent);
      return;
    }
    std::vector<bool> seen(ranks(), false);
    for (int i = 1; i < ranks(); ++i) {
      const Buffer in = worker.allocate(10, DType::kFloat32);
      Handle received = worker.receive(kAnyPeer, 3, in.view());
      const Completion completion = worker.wait(received);
      ASSERT_GT(completion.peer, 0);
      EXPECT_FALSE(seen[completion.peer]);
      seen[completion.peer] = true;
      EXPECT_EQ(at(in, 0), static_cast<float>(completion.peer));
    }
  });
}

TEST_P(Seam, WaitAnyReturnsTheOneThatCompleted) {
  run([&](Worker& worker) {
    const int rank = worker.group().rank;
    const Buffer token = worker.allocate(1, DType::kFloat32);
    if (rank > 0) {  // answers rank 0's ping, so only the pinged one can complete
      Handle ping = worker.receive(0, 1, token.view());
      worker.wait(ping);
      Handle pong = worker.send(0, 2, token.view());
      worker.wait(pong);
      return;
    }
    std::vector<Buffer> buffers;
    std::vector<Handle> answers(ranks());
    for (int peer = 1; peer < ranks(); ++peer) {
      buffers.push_back(worker.allocate(1, DType::kFloat32));
      answers[peer] = worker.receive(peer, 2, buffers.back().view());
    }
    for (int peer = ranks() - 1; peer > 0; --peer) {
      Handle ping = worker.send(peer, 1, token.view());
      worker.wait(ping);
      const std::optional<Completion> completion = worker.wait_any(answers);
      ASSERT_TRUE(completion);
      EXPECT_EQ(completion->index, static_cast<std::size_t>(peer));
      EXPECT_EQ(completion->peer, peer);
      EXPECT_TRUE(answers[peer].empty());
    }
  });
}

TEST_P(SeamOfTwo, MessagesOfOneTagArriveInOrder) {
  run([](Worker& worker) {
    constexpr int kMessages = 50;
    std::vector<Buffer> buffers;
    std::vector<Handle> handles;
    for (int i = 0; i < kMessages; ++i) {
      buffers.push_back(filled(worker, 100, static_cast<float>(i)));
      handles.push_back(worker.group().rank == 0 ? worker.send(1, 9, buffers.back().view())
                                                 : worker.receive(0, 9, buffers.back().view()));
    }
    wait_all(worker, handles);
    for (int i = 0; i < kMessages; ++i) EXPECT_EQ(at(buffers[i], 0), static_cast<float>(i));
  });
}

TEST_P(SeamOfTwo, MessagesSentInTurnArriveAll) {
  run([](Worker& worker) {
    constexpr int kMessages = 20;
    constexpr std::size_t kElements = 50'000;  // above what leaves before it is asked for
    std::vector<Buffer> buffers;
    std::vector<Handle> handles;
    for (int i = 0; i < kMessages; ++i) {
      buffers.push_back(filled(worker, kElements, static_cast<float>(i)));
      handles.push_back(worker.group().rank == 0 ? worker.send_in_turn(1, i, buffers.back().view())
                                                 : worker.receive(0, i, buffers.back().view()));
    }
    while (!handles.empty()) {  // of the latest first
      worker.wait(handles.back());
      handles.pop_back();
    }
    for (int i = 0; i < kMessages; ++i) EXPECT_EQ(at(buffers[i], 0), static_cast<float>(i));
    EXPECT_EQ(worker.record().traffic().sent_bytes,
              worker.group().rank == 0 ? kMessages * kElements * sizeof(float) : 0);
  });
}

TEST_P(SeamOfTwo, TagsKeepMessagesApart) {
  run([](Worker& worker) {
    const bool sends = worker.group().rank == 0;
    const Buffer one = filled(worker, 10, sends ? 1.0F : 0.0F);
    const Buffer two = filled(worker, 10, sends ? 2.0F : 0.0F);
    if (sends) {
      Handle handles[] = {worker.send(1, 1, one.view()), worker.send(1, 2, two.view())};
      wait_all(worker, handles);
    } else {  // asked for in the other order
      Handle handles[] = {worker.receive(0, 2, two.view()), worker.receive(0, 1, one.view())};
      wait_all(worker, handles);
    }
    EXPECT_EQ(at(one, 0), 1.0F);
    EXPECT_EQ(at(two, 0), 2.0F);
  });
}

TEST_P(SeamOfTwo, WaitAnyGivesUpAfterItsTimeout) {
  run([](Worker& worker) {
    const Buffer buffer = worker.allocate(10, DType::kFloat32);
    if (worker.group().rank == 0) {
      Handle handle = worker.receive(1, 4, buffer.view());
      const Seconds before = worker.now();
      EXPECT_FALSE(worker.wait_any(std::span(&handle, 1), 0.02));
      EXPECT_GE(worker.now() - before, 0.0199);
      EXPECT_FALSE(handle.empty());
      Handle go = worker.send(1, 5, buffer.view());
      worker.wait(go);
      worker.wait(handle);  // still good
    } else {
      Handle go = worker.receive(0, 5, buffer.view());
      worker.wait(go);
      Handle late = worker.send(0, 4, buffer.view());
      worker.wait(late);
    }
  });
}

TEST_P(SeamOfTwo, TheHandleOfALostPeerIsEmptied) {
  run([](Worker& worker) {
    if (worker.group().rank == 1) return;
    const Buffer buffer = worker.allocate(10, DType::kFloat32);
    Handle handle = worker.receive(1, 6, buffer.view());
    int lost = -1;
    try {
      worker.wait(handle);
    } catch (const PeerLost& error) {
      lost = error.peer();
    }
    EXPECT_EQ(lost, 1);
    EXPECT_TRUE(handle.empty());
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Seam, testing::Values(1, 2, 3, 4, 7, 8));
INSTANTIATE_TEST_SUITE_P(Ranks, SeamOfTwo, testing::Values(2));

}  // namespace
}  // namespace tandem
