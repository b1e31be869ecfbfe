// How a calibration goes about its messages. What these take is the machine's affair.

#include "real/calibrate/message_times.h"

#include <gtest/gtest.h>

#include "real/mpi/worker.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem::mpi {
namespace {

std::vector<std::size_t> sizes_of(const std::vector<MessageSample>& samples) {
  std::vector<std::size_t> sizes;
  sizes.reserve(samples.size());
  for (const MessageSample& sample : samples) sizes.push_back(sample.bytes);
  return sizes;
}

// Else a wire of 10 Mbit/s would take longer than a calibration may.
TEST(MessageTimes, NoLargerMessagesAreSentThanTheFirstThatTakesTooLong) {
  MpiWorker worker(MPI_COMM_WORLD);
  const MessageTimes all = measure_messages(
      worker, {.rounds = 1, .eager_bytes = 4, .largest = 8, .longest = 60}, [](double) {});
  const MessageTimes first = measure_messages(
      worker, {.rounds = 1, .eager_bytes = 4, .largest = 8, .longest = 0}, [](double) {});
  if (session().rank() > 0) return;
  EXPECT_EQ(sizes_of(all.exchange), (std::vector<std::size_t>{1, 2, 4, 8}));
  EXPECT_EQ(sizes_of(all.pairs), (std::vector<std::size_t>{1, 2, 4}));
  for (const auto& samples :
       {first.exchange, first.one_way, first.sending, first.asleep, first.pairs})
    EXPECT_EQ(sizes_of(samples), std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace tandem::mpi
