// The progress engine under load and at its ends. Every rank runs every test.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <numeric>
#include <random>

#include "core/collectives/ring.h"
#include "real/mpi/worker.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

constexpr Tag kFirstComeTag = 1000;  ///< received with kAnyPeer

struct Message {
  int id;
  int source;
  int destination;
  Tag tag;
  std::size_t elements;
};

/// The same on every rank.
std::vector<Message> random_traffic(int ranks, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t limit) { return static_cast<int>(random() % limit); };
  std::vector<Message> messages;
  for (int id = 0; id < count; ++id) {
    const bool first_come = below(4) == 0;
    const std::size_t elements = first_come ? 17 : 1U << below(17);  // up to 256 KiB
    messages.push_back({id, below(ranks), below(ranks), first_come ? kFirstComeTag : below(5),
                        elements + (first_come ? 0 : below(3))});
  }
  return messages;
}

float payload(int id, std::size_t index) {
  return static_cast<float>(id * 1000 + static_cast<int>(index % 997));
}

bool has_payload(const Buffer& buffer, int id) {
  const auto numbers = buffer.view().floats();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != payload(id, i)) return false;
  }
  return true;
}

/// Waits for all, in the order in which they complete; returns who sent what.
std::vector<int> wait_for_each(Worker& worker, std::vector<Handle>& handles) {
  std::vector<int> peers(handles.size(), -1);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const std::optional<Completion> completion = worker.wait_any(handles);
    peers[completion->index] = completion->peer;
  }
  return peers;
}

class RandomTraffic : public testing::TestWithParam<int> {};

TEST_P(RandomTraffic, ArrivesWhereItShould) {
  MpiWorker worker(MPI_COMM_WORLD);
  const int rank = worker.group().rank;
  const auto messages = random_traffic(worker.group().size, 300, GetParam());
  std::vector<Buffer> buffers;
  std::vector<Handle> handles;
  std::vector<const Message*> received;  // by handle; null for sends
  for (const Message& message : messages) {
    if (message.source == rank) {
      buffers.push_back(worker.allocate(message.elements, DType::kFloat32));
      const auto numbers = buffers.back().view().floats();
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = payload(message.id, i);
      handles.push_back(worker.send(message.destination, message.tag, buffers.back().view()));
      received.push_back(nullptr);
    }
    if (message.destination == rank) {
      buffers.push_back(worker.allocate(message.elements, DType::kFloat32));
      received.push_back(&message);
      const int peer = message.tag == kFirstComeTag ? kAnyPeer : message.source;
      handles.push_back(worker.receive(peer, message.tag, buffers.back().view()));
    }
  }
  const std::vector<int> peers = wait_for_each(worker, handles);
  for (std::size_t i = 0; i < received.size(); ++i) {
    if (received[i] == nullptr) continue;
    if (received[i]->tag != kFirstComeTag) {
      EXPECT_EQ(peers[i], received[i]->source);
      EXPECT_TRUE(has_payload(buffers[i], received[i]->id)) << "message " << received[i]->id;
    } else {  // any of the first-come messages to this rank, but whole and from whom it says
      const int id = static_cast<int>(buffers[i].view().floats()[0]) / 1000;
      ASSERT_LT(id, static_cast<int>(messages.size()));
      EXPECT_EQ(messages[id].destination, rank);
      EXPECT_EQ(messages[id].source, peers[i]);
      EXPECT_TRUE(has_payload(buffers[i], id)) << "message " << id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraffic, testing::Range(1, 7));

TEST(Engine, MessagesAndCollectivesDoNotMeet) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  const Buffer sum = worker.allocate(5000, DType::kFloat32);
  const Buffer out = worker.allocate(2500, DType::kFloat32);
  const Buffer in = worker.allocate(2500, DType::kFloat32);
  for (int k = 0; k < 30; ++k) {
    std::ranges::fill(sum.view().floats(), 1.0F);
    std::ranges::fill(out.view().floats(), static_cast<float>(k));
    Handle handles[] = {worker.start(ring_all_reduce(size, rank, 5000), sum.view()),
                        worker.receive((rank + size - 1) % size, 0, in.view()),
                        worker.send((rank + 1) % size, 0, out.view())};
    wait_all(worker, handles);
    EXPECT_THAT(sum.view().floats(), testing::Each(static_cast<float>(size)));
    EXPECT_THAT(in.view().floats(), testing::Each(static_cast<float>(k)));
  }
}

TEST(Engine, BigMessage) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  constexpr std::size_t kElements = 8'000'001;
  const Buffer out = worker.allocate(kElements, DType::kFloat32);
  const Buffer in = worker.allocate(kElements, DType::kFloat32);
  std::iota(out.view().floats().begin(), out.view().floats().end(), static_cast<float>(rank));
  const int previous = (rank + size - 1) % size;
  Handle handles[] = {worker.receive(previous, 0, in.view()),
                      worker.send((rank + 1) % size, 0, out.view())};
  wait_all(worker, handles);
  std::ranges::transform(out.view().floats(), out.view().floats().begin(),
                         [&](float x) { return x - static_cast<float>(rank - previous); });
  EXPECT_EQ(in.view().floats()[0], static_cast<float>(previous));
  EXPECT_EQ(in.view().floats()[kElements / 3], out.view().floats()[kElements / 3]);
  EXPECT_EQ(in.view().floats()[kElements - 1], out.view().floats()[kElements - 1]);
}

TEST(Engine, AMessageOfAnotherSizeIsAnError) {
  if (session().size() == 1) GTEST_SKIP() << "Open MPI cuts messages to oneself without a word";
  for (const std::size_t sent : {9U, 11U}) {
    MpiWorker worker(MPI_COMM_WORLD);
    const auto [rank, size, epoch] = worker.group();
    const Buffer buffer = worker.allocate(20, DType::kFloat32);
    Handle receive = worker.receive((rank + size - 1) % size, 0, buffer.view().slice(0, 10));
    Handle send = worker.send((rank + 1) % size, 0, buffer.view().slice(0, sent));
    worker.wait(send);
    EXPECT_THROW(worker.wait(receive), RunError) << sent << " elements";
  }
}

TEST(Engine, ATagThatMpiLacksIsAnErrorOfTheCaller) {
  MpiWorker worker(MPI_COMM_WORLD);
  EXPECT_THROW(worker.send(0, -1, View{}), std::logic_error);
  EXPECT_THROW(worker.receive(0, std::numeric_limits<Tag>::max(), View{}), std::logic_error);
}

/// Breaks as soon as it is asked for a round.
class BrokenSchedule final : public Schedule {
 public:
  std::string_view name() const override { return "broken"; }
  int ranks() const override { return 1; }
  int rank() const override { return 0; }
  std::size_t elements() const override { return 1; }
  int rounds() const override { return 1; }
  Round round(int) const override { throw std::runtime_error("the schedule is broken"); }
};

TEST(Engine, AnExceptionOfItsThreadSurfacesInTheWaitingCall) {
  MpiWorker worker(MPI_COMM_WORLD);
  const Buffer buffer = worker.allocate(1, DType::kFloat32);
  Handle handle = worker.start(std::make_unique<BrokenSchedule>(), buffer.view());
  try {
    worker.wait(handle);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "the schedule is broken");
  }
}

Seconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Engine, AWaitingRankUsesLittleOfItsCore) {
  MpiWorker worker(MPI_COMM_WORLD);
  const Buffer buffer = worker.allocate(1, DType::kByte);
  Handle never = worker.receive(worker.group().rank, 0, buffer.view());
  const Seconds cpu = cpu_time();
  const Seconds begin = worker.now();
  EXPECT_FALSE(worker.wait_any(std::span(&never, 1), 0.5));
  EXPECT_GE(worker.now() - begin, 0.5);
  EXPECT_LT((cpu_time() - cpu) / (worker.now() - begin), 0.25);
  Handle sent = worker.send(worker.group().rank, 0, buffer.view());
  worker.wait(sent);
  worker.wait(never);
}

TEST(Engine, AWaitBeyondItsPatienceSaysForWhom) {
  MpiWorker worker(MPI_COMM_WORLD);
  worker.set_patience(0.05);
  const auto [rank, size, epoch] = worker.group();
  const Buffer buffer = worker.allocate(1, DType::kByte);
  Handle never = worker.receive((rank + 1) % size, 0, buffer.view());
  try {
    worker.wait(never);
    FAIL();
  } catch (const Timeout& timeout) {
    EXPECT_EQ(std::string(timeout.what()),
              fmt::format("rank {} has waited 0.05 s for rank {}; is it a deadlock, or is timeout "
                          "too short?",
                          rank, (rank + 1) % size));
  }
  MPI_Barrier(MPI_COMM_WORLD);  // all have given up
  Handle sent = worker.send((rank + size - 1) % size, 0, buffer.view());
  worker.wait(sent);
  worker.set_patience(kForever);
  worker.wait(never);  // still good
  worker.end();
}

/// What end() throws on this rank after `member`; empty for nothing.
std::string left_over(const std::function<void(Worker&)>& member) {
  MpiWorker worker(MPI_COMM_WORLD);
  member(worker);
  try {
    worker.end();
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(Engine, AMessageThatNobodyReceivedIsLeftOver) {
  for (const std::size_t bytes : {3UL, 1'000'000UL}) {  // sent at once, and once it is wanted
    const int last = session().size() - 1;
    if (last == 0) return;
    const std::string said = left_over([&](Worker& worker) {
      if (worker.group().rank > 0) return;
      const Buffer buffer = worker.allocate(bytes, DType::kByte);
      const Handle sent = worker.send(last, 9, buffer.view());
    });
    EXPECT_EQ(said, session().rank() < last
                        ? ""
                        : fmt::format("a message is left over: rank 0 sent rank {} {} bytes (tag "
                                      "9) that it never received",
                                      last, bytes));
  }
}

TEST(Engine, AReceiveThatNothingMetIsLeftOver) {
  const Buffer buffer = make_host_buffer(1, DType::kByte);
  const std::string said = left_over([&](Worker& worker) {
    if (worker.group().rank == 0) const Handle never = worker.receive(kAnyPeer, 9, buffer.view());
  });
  EXPECT_EQ(said, session().rank() > 0 ? ""
                                       : "a receive is left over: rank 0 waits for any rank (tag "
                                         "9), who sent nothing");
}

TEST(Engine, WhatWasGivenUpForLostIsNotLeftOver) {
  const int last = session().size() - 1;
  const Buffer buffer = make_host_buffer(1, DType::kByte);
  EXPECT_EQ(left_over([&](Worker& worker) {
              if (worker.group().rank == last) return;
              Handle never = worker.receive(last, 9, buffer.view());
              EXPECT_THROW(worker.wait(never), PeerLost);
            }),
            "");
}

TEST(Engine, APeerThatEndedIsLost) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  const int last = size - 1;
  if (size == 1 || rank == last) return;  // the last ends at once
  const Buffer buffer = worker.allocate(1, DType::kFloat32);
  Handle handle = worker.receive(last, 0, buffer.view());
  try {
    worker.wait(handle);
    FAIL();
  } catch (const PeerLost& lost) {
    EXPECT_EQ(lost.peer(), last);
  }
}

TEST(Engine, ReceivingFromAnyoneWhenAllHaveEndedIsLost) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  if (size == 1 || rank > 0) return;
  const Buffer buffer = worker.allocate(1, DType::kFloat32);
  Handle handle = worker.receive(kAnyPeer, 0, buffer.view());
  EXPECT_THROW(worker.wait(handle), PeerLost);
}

TEST(Engine, ACollectiveWithAPeerThatEndedIsLost) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  if (size == 1 || rank == size - 1) return;
  const Buffer buffer = worker.allocate(1000, DType::kFloat32);
  std::vector<Handle> handles;
  for (int i = 0; i < 3; ++i) {
    handles.push_back(worker.start(ring_all_reduce(size, rank, 1000), buffer.view()));
  }
  for (Handle& handle : handles) EXPECT_THROW(worker.wait(handle), PeerLost);
}

TEST(Engine, ABigMessageThatNobodyTakesIsLost) {
  MpiWorker worker(MPI_COMM_WORLD);
  const auto [rank, size, epoch] = worker.group();
  if (size == 1 || rank > 0) return;
  const Buffer buffer = worker.allocate(1'000'000, DType::kFloat32);
  Handle handle = worker.send(1, 0, buffer.view());
  EXPECT_THROW(worker.wait(handle), PeerLost);
}

constexpr Seconds kKernel = 20e-3;

/// Of a paced device on which each kernel takes that.
Seconds takes_long(const Kernel&) {
  return kKernel;
}

/// What rank 0 asks for after a kernel, seen by rank 1, which receives it: since rank 0 knew that
/// the kernel may begin. Forever on ranks that see nothing of it.
Seconds seen_after_a_kernel(const std::function<void(Worker&, View)>& ask) {
  MpiWorker worker(MPI_COMM_WORLD, {}, takes_long);
  const int rank = worker.group().rank;
  const Buffer byte = worker.allocate(1, DType::kByte);
  if (rank == 0) {
    Handle start = worker.receive(1, 0, byte.view());
    worker.wait(start);
    worker.compute({.phase = Phase::kForward, .name = "long", .body = {}});
    ask(worker, byte.view());
  }
  if (rank != 1) return kForever;
  const Seconds begin = worker.now();
  Handle start = worker.send(0, 0, byte.view());
  worker.wait(start);
  Handle seen = worker.receive(0, 1, byte.view());
  worker.wait(seen);
  return worker.now() - begin;
}

TEST(Engine, OfWhatFollowsAPacedKernelNothingIsSeenBeforeItsEnd) {
  if (MpiWorker(MPI_COMM_WORLD).group().size == 1) return;
  EXPECT_GE(seen_after_a_kernel([](Worker& worker, View view) {
              Handle sent = worker.send(1, 1, std::move(view));
              worker.wait(sent);
            }),
            kKernel);
  EXPECT_GE(seen_after_a_kernel([](Worker& worker, View view) {
              Handle sent = worker.send_in_turn(1, 1, std::move(view));
              worker.wait(sent);
            }),
            kKernel);
}

// A megabyte takes more than one look of who receives it.
TEST(Engine, MessagesArriveWhileAPacedKernelIsWaitedFor) {
  MpiWorker worker(MPI_COMM_WORLD, {}, takes_long);
  const auto [rank, size, epoch] = worker.group();
  if (size == 1 || rank > 1) return;
  const Buffer large = worker.allocate(1 << 20, DType::kByte);
  const Buffer byte = worker.allocate(1, DType::kByte);
  if (rank == 1) {
    std::vector<Handle> handles;
    handles.push_back(worker.send(0, 0, large.view()));
    handles.push_back(worker.receive(0, 1, byte.view()));
    wait_all(worker, handles);
    return;
  }
  Handle received = worker.receive(1, 0, large.view());
  worker.compute({.phase = Phase::kForward, .name = "long", .body = {}});
  const Seconds end = worker.now();
  Handle sent = worker.send(1, 1, byte.view());  // waits for the kernel first
  EXPECT_GE(worker.now(), end);
  EXPECT_TRUE(worker.wait_any(std::span(&received, 1), 0));
  worker.wait(sent);
}

TEST(Engine, AMessageThatWasSentBeforeTheEndStillArrives) {
  for (const std::size_t elements : {1U, 1'000'000U}) {
    MpiWorker worker(MPI_COMM_WORLD);
    const auto [rank, size, epoch] = worker.group();
    const Buffer buffer = worker.allocate(elements, DType::kFloat32);
    if (size == 1) return;
    if (rank == size - 1) {
      buffer.view().floats().back() = 5;
      Handle sent = worker.send(0, 0, buffer.view());
      worker.wait(sent);
    } else if (rank == 0) {
      Handle received = worker.receive(size - 1, 0, buffer.view());
      worker.wait(received);
      EXPECT_EQ(buffer.view().floats().back(), 5.0F);
    }
  }
}

}  // namespace
}  // namespace tandem::mpi
