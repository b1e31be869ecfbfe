#include "real/mpi/request_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/error.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

constexpr std::size_t kLargestCount = 1000;  ///< stands for INT_MAX

class SplitMessages : public testing::TestWithParam<std::size_t> {};

TEST_P(SplitMessages, AreOneMessageAtBothEnds) {
  const int rank = session().rank();
  const int next = (rank + 1) % session().size();
  const int previous = (rank + session().size() - 1) % session().size();
  const Buffer out = make_host_buffer(GetParam(), DType::kByte);
  const Buffer in = make_host_buffer(GetParam(), DType::kByte);
  for (std::size_t i = 0; i < GetParam(); ++i) {
    out.view().data[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(rank));
  }
  RequestSet requests(kLargestCount);
  int done = 0;
  const auto on_done = [&](const Outcome& outcome) {
    EXPECT_FALSE(outcome.error);
    EXPECT_FALSE(outcome.cancelled);
    ++done;
  };
  requests.receive(MPI_COMM_WORLD, previous, 1, in.view(), on_done);
  requests.send(MPI_COMM_WORLD, next, 1, out.view(), on_done);
  while (requests.in_flight() > 0) requests.test();
  EXPECT_EQ(done, 2);
  for (std::size_t i = 0; i < GetParam(); ++i) {
    ASSERT_EQ(in.view().data[i], static_cast<std::byte>(i * 7 + static_cast<std::size_t>(previous)))
        << "byte " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SplitMessages,
                         testing::Values(0, 1, 999, 1000, 1001, 2000, 12'345, 1'000'000));

TEST(RequestSet, ACancelledReceiveEndsAsCancelled) {
  RequestSet requests;
  const Buffer buffer = make_host_buffer(4, DType::kByte);
  bool cancelled = false;
  requests.receive(MPI_COMM_WORLD, session().rank(), 2, buffer.view(),
                   [&](const Outcome& outcome) { cancelled = outcome.cancelled; });
  requests.cancel_receives([](int) { return true; });
  requests.cancel_receives([](int) { return true; });  // once more does no harm
  while (requests.in_flight() > 0) requests.test();
  EXPECT_TRUE(cancelled);
}

TEST(RequestSet, BackgroundMessagesAreNotInFlight) {
  RequestSet requests;
  bool done = false;
  requests.receive(
      MPI_COMM_WORLD, session().rank(), 3, View{}, [&](const Outcome&) { done = true; }, true);
  EXPECT_EQ(requests.in_flight(), 0U);
  requests.send(MPI_COMM_WORLD, session().rank(), 3, View{}, [](const Outcome&) {});
  EXPECT_EQ(requests.in_flight(), 1U);
  while (!done || requests.in_flight() > 0) requests.test();
}

TEST(RequestSet, ASendThatWasAbandonedMayBeReceivedAllTheSame) {
  constexpr std::size_t kBytes = 16UL << 20U;  // not sent before somebody takes it
  const int rank = session().rank();
  RequestSet requests;
  std::exception_ptr error;
  {
    const Buffer out = make_host_buffer(kBytes, DType::kByte);
    std::ranges::fill(std::span(out.view().data, kBytes), std::byte{7});
    requests.send(MPI_COMM_WORLD, rank, 4, out.view(),
                  [&](const Outcome& outcome) { error = outcome.error; });
  }
  requests.abandon_sends([](int) { return true; },
                         [](int) { return std::make_exception_ptr(RunError("gone")); });
  EXPECT_TRUE(error);
  const Buffer in = make_host_buffer(kBytes, DType::kByte);
  requests.receive(MPI_COMM_WORLD, rank, 4, in.view(), [](const Outcome&) {});
  while (requests.in_flight() > 0) requests.test();
  EXPECT_EQ(std::ranges::count(std::span(in.view().data, kBytes), std::byte{7}), kBytes);
}

// The oldest ends last, and most of those after it one by one before it.
TEST(RequestSet, MessagesMayEndInAnyOrder) {
  constexpr int kMessages = 100;
  const int rank = session().rank();
  RequestSet requests;
  const Buffer in = make_host_buffer(kMessages, DType::kByte);
  const Buffer out = make_host_buffer(1, DType::kByte);
  std::vector<int> ended;
  for (int tag = 0; tag < kMessages; ++tag) {
    requests.receive(MPI_COMM_WORLD, rank, tag, in.view().slice(tag, 1),
                     [&ended, tag](const Outcome&) { ended.push_back(tag); });
  }
  std::vector<int> expected;
  for (int i = 1; i <= kMessages; ++i) {
    const int tag = i * 7 % kMessages;
    EXPECT_EQ(requests.first_receive()->tag, 0);
    requests.send(MPI_COMM_WORLD, rank, tag, out.view(), [](const Outcome&) {});
    expected.push_back(tag);
    while (ended.size() < expected.size() || requests.in_flight() > kMessages - expected.size())
      requests.test();
  }
  EXPECT_EQ(ended, expected);
  EXPECT_FALSE(requests.first_receive());
}

}  // namespace
}  // namespace tandem::mpi
