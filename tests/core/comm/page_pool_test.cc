#include "core/comm/page_pool.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/core/comm/sizes.h"

namespace tandem {
namespace {

/// Of all that the process has in memory.
std::size_t resident_bytes_of_process() {
  constexpr std::size_t kPage = 4096;
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * kPage;
}

/// All but a part of a piece at either end.
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
  const std::size_t moved = resident_bytes(to.view());
  EXPECT_EQ(moved % kMebibyte, 0U);
  EXPECT_GE(moved, 14 * kMebibyte) << "whole pieces";
  const std::span all(taken.data, taken.bytes());
  EXPECT_EQ(std::ranges::count(all, std::byte{7}), moved);
  std::fill_n(given.data, given.bytes(), std::byte{1});
  EXPECT_EQ(std::ranges::count(all, std::byte{1}), 0) << "it has memory of its own";
}

TEST(PagePool, LeavesWhatItHasNotToTheSystem) {
  const Buffer buffer = make_host_buffer(8 * kMebibyte, DType::kByte);
  PagePool pool;
  pool.take_in(buffer.view());
  EXPECT_EQ(resident_bytes(buffer.view()), 0U);
}

TEST(PagePool, HoldsNoMoreThanWasHeldAtOnceAndGivesAllBackInTheEnd) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "what the sanitizer notes of memory is the process's too";
#endif
  constexpr std::size_t kBytes = 64 * kMebibyte;
  const Buffer buffers[] = {make_host_buffer(kBytes, DType::kByte),
                            make_host_buffer(kBytes, DType::kByte)};
  const std::size_t before = resident_bytes_of_process();
  {
    PagePool pool;
    for (int i = 0; i < 10; ++i) {
      for (const Buffer& buffer : buffers) {
        pool.take_in(buffer.view());
        std::ranges::fill(std::span(buffer.view().data, kBytes), std::byte{1});
        EXPECT_LT(resident_bytes_of_process(), before + kBytes + 4 * kMebibyte);
        pool.give_back(buffer.view());
      }
    }
    EXPECT_GT(resident_bytes_of_process(), before + kBytes / 2) << "kept";
  }
  EXPECT_LT(resident_bytes_of_process(), before + 4 * kMebibyte);
}

/// Does nothing.
class SomeMirror final : public Mirror {
 public:
  void settle(std::byte*, std::size_t, Access) override {}
  bool convert(const View&, const View&, float) override { return false; }
  bool accumulate(const View&, const View&, float) override { return false; }
  bool clear(const View&) override { return false; }
  bool add_squares(const View&, const View&) override { return false; }
  bool measure(const ArenaUpdate&) override { return false; }
  bool update(const ArenaUpdate&) override { return false; }
};

TEST(PagePool, KeepsNoMemoryThatOthersMayReachElsewhere) {
  const Buffer own = make_host_buffer(4 * kMebibyte, DType::kByte);
  // As own's, but nobody has said that it is this process's alone.
  const auto shared = std::make_shared<Memory>(own.view().data, 4 * kMebibyte, [](auto...) {});
  SomeMirror mirror;
  View of_shared = own.view(), of_mirrored = own.view();
  of_shared.owner = shared;
  of_mirrored.mirror = &mirror;
  for (const View& view : {of_shared, of_mirrored}) {
    std::fill_n(own.view().data, own.view().bytes(), std::byte{7});
    PagePool pool;
    pool.give_back(view);
    EXPECT_EQ(resident_bytes(view), 0U);
    pool.take_in(own.view());
    EXPECT_EQ(resident_bytes(view), 0U) << "nothing was kept";
  }
}

}  // namespace
}  // namespace tandem
