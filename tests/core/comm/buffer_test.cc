#include "core/comm/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/comm/loopback/loopback.h"
#include "core/comm/worker.h"
#include "tests/core/comm/sizes.h"

namespace tandem {
namespace {

TEST(Buffer, ItsMemoryStaysAsLongAsAViewOfIt) {
  View slice;
  {
    const Buffer buffer = make_host_buffer(100, DType::kFloat32);
    buffer.view().floats()[99] = 5;
    slice = buffer.view().slice(90, 10);
  }
  EXPECT_EQ(slice.owner.use_count(), 1);
  EXPECT_EQ(slice.floats()[9], 5);
}

TEST(Buffer, MovedFromHasNothing) {
  Buffer from = make_host_buffer(4, DType::kByte);
  const Buffer to = std::move(from);
  EXPECT_TRUE(to.view().has_data());
  EXPECT_FALSE(from.view().has_data());  // NOLINT(bugprone-use-after-move): that is what it says
  EXPECT_EQ(from.view().elements, 0U);
}

TEST(Buffer, TakesMemoryWhereItIsTouched) {
  const Buffer buffer = make_host_buffer(8 * kMebibyte, DType::kByte);
  EXPECT_EQ(resident_bytes(buffer.view()), 0U);
  const View touched = buffer.view().slice(kMebibyte, kMebibyte);
  std::ranges::fill(std::span(touched.data, touched.elements), std::byte{1});
  EXPECT_EQ(resident_bytes(buffer.view()), kMebibyte);
}

TEST(Buffer, WhatIsGivenBackIsZeroAndTakesNoMemory) {
  const Buffer buffer = make_host_buffer(kMebibyte, DType::kFloat32);
  std::ranges::fill(buffer.view().floats(), 7.0F);
  const View middle = buffer.view().slice(1000, kMebibyte - 2000);  // begins and ends within a page
  give_back_pages(middle);
  EXPECT_LE(resident_bytes(buffer.view()), 4 * 4096U);
  EXPECT_EQ(buffer.view().floats()[999], 7);
  EXPECT_EQ(buffer.view().floats()[kMebibyte - 1000], 7);
  EXPECT_EQ(buffer.view().floats()[kMebibyte / 2], 0);
  std::ranges::fill(middle.floats(), 8.0F);
  EXPECT_EQ(resident_bytes(buffer.view()), buffer.view().bytes());
}

TEST(Buffer, KeepsItsPagesWhereFewAreGivenBack) {
  const Buffer buffer = make_host_buffer(kMebibyte, DType::kByte);
  std::ranges::fill(std::span(buffer.view().data, kMebibyte), std::byte{1});
  give_back_pages(buffer.view().slice(0, (128 << 10) - 1));
  EXPECT_EQ(resident_bytes(buffer.view()), kMebibyte);
  give_back_pages(buffer.view().slice(0, 128 << 10));
  EXPECT_EQ(resident_bytes(buffer.view()), kMebibyte - (128 << 10));
}

TEST(Buffer, OfASizeOnlyHasNothingToGiveBack) {
  const Buffer buffer = make_size_only_buffer(kMebibyte, DType::kFloat32);
  give_back_pages(buffer.view());
  EXPECT_EQ(resident_bytes(buffer.view()), 0U);
}

TEST(MemoryLedger, CountsWhatIsHeldNowAndAtMost) {
  run_loopback(1, [](Worker& worker) {
    const MemoryLedger& ledger = worker.memory();
    {
      const Buffer whole = worker.allocate(1000, DType::kFloat32);
      EXPECT_EQ(ledger.held(), 4000U);
      worker.release(whole.view().slice(0, 900));
      EXPECT_EQ(ledger.held(), 400U);
      const Buffer parts = worker.reserve(500, DType::kByte);
      EXPECT_EQ(ledger.held(), 400U);
      worker.claim(parts.view().slice(100, 50));
      EXPECT_EQ(ledger.held(), 450U);
      EXPECT_EQ(ledger.peak(), 4000U);
    }
    EXPECT_EQ(ledger.held(), 0U);
  });
}

}  // namespace
}  // namespace tandem
