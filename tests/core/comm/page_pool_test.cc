#include "core/comm/page_pool.h"

#include <gmock/gmock.h>

#include <fstream>

namespace tandem {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

/// Of all that the process has in memory.
std::size_t resident_bytes_of_process() {
  constexpr std::size_t kPage = 4096;
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * kPage;
}

/// Zeroed, with a piece that is not aligned at either end.
View unaligned(const Buffer& buffer) {
  return buffer.view().slice(3 * kMebibyte / 4, buffer.view().elements - kMebibyte);
}

TEST(PagePool, HasWhatOneViewGaveBackTakenInByAnother) {
  const Buffer from = make_host_buffer(16 * kMebibyte, DType::kByte);
  const Buffer to = make_host_buffer(16 * kMebibyte, DType::kByte);
  const View given = unaligned(from), taken = unaligned(to);
  std::fill_n(given.data, given.bytes(), std::byte{7});
  PagePool pool;
  pool.give_back(given);
  EXPECT_EQ(resident_bytes(from.view()), 0U);
  pool.take_in(taken);
  EXPECT_EQ(resident_bytes(taken), given.bytes());
  const std::span all(taken.data, taken.bytes());
  EXPECT_EQ(std::ranges::count(all, std::byte{7}) % kMebibyte, 0);
  EXPECT_GE(std::ranges::count(all, std::byte{7}), 12 * kMebibyte) << "whole pieces";
  std::fill_n(given.data, given.bytes(), std::byte{1});
  EXPECT_EQ(std::ranges::count(all, std::byte{1}), 0) << "it has memory of its own";
}

TEST(PagePool, TakesInFromTheSystemWhatItHasNot) {
  const Buffer buffer = make_host_buffer(16 * kMebibyte, DType::kByte);
  PagePool pool;
  pool.take_in(buffer.view());
  EXPECT_EQ(resident_bytes(buffer.view()), buffer.view().bytes());
}

TEST(PagePool, HoldsNoMoreThanWasHeldAtOnceAndGivesAllBackInTheEnd) {
  constexpr std::size_t kBytes = 64 * kMebibyte;
  const Buffer buffers[] = {make_host_buffer(kBytes, DType::kByte),
                            make_host_buffer(kBytes, DType::kByte)};
  const std::size_t before = resident_bytes_of_process();
  {
    PagePool pool;
    for (int i = 0; i < 10; ++i) {
      for (const Buffer& buffer : buffers) {
        pool.take_in(buffer.view());
        EXPECT_LT(resident_bytes_of_process(), before + kBytes + 4 * kMebibyte);
        pool.give_back(buffer.view());
      }
    }
    EXPECT_GT(resident_bytes_of_process(), before + kBytes / 2) << "kept";
  }
  EXPECT_LT(resident_bytes_of_process(), before + 4 * kMebibyte);
}

TEST(PagePool, KeepsNoMemoryThatOthersMayReachElsewhere) {
  const Buffer own = make_host_buffer(4 * kMebibyte, DType::kByte);
  // As own's, but nobody has said that it is this process's alone.
  const auto shared = std::make_shared<Memory>(own.view().data, 4 * kMebibyte, [](auto...) {});
  const View view{own.view().data, 4 * kMebibyte, DType::kByte, MemorySpace::kHost, shared};
  std::fill_n(view.data, view.bytes(), std::byte{7});
  PagePool pool;
  pool.give_back(view);
  EXPECT_EQ(resident_bytes(view), 0U);
  pool.take_in(view);
  EXPECT_EQ(std::ranges::count(std::span(view.data, view.bytes()), std::byte{7}), 0);
}

}  // namespace
}  // namespace tandem
