#include "core/comm/buffer.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tandem
