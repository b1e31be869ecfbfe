#include "core/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem {
namespace {

template <typename Half>
Half from_bits(std::uint32_t bits) {
  Half half;
  half.bits = static_cast<std::uint16_t>(bits);
  return half;
}

template <typename Half>
class HalfTest : public testing::Test {};
using Halves = testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, EveryNumberSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto value = static_cast<float>(from_bits<TypeParam>(bits));
    const TypeParam back(value);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(back)));
    } else {
      EXPECT_EQ(back.bits, bits);
    }
  }
}

// Between each two neighbours: just below the middle, the middle, just above it.
TYPED_TEST(HalfTest, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; std::isfinite(static_cast<float>(from_bits<TypeParam>(bits + 1)));
       ++bits) {
    const auto below = static_cast<float>(from_bits<TypeParam>(bits));
    const auto above = static_cast<float>(from_bits<TypeParam>(bits + 1));
    ASSERT_LT(below, above);
    const float middle = below + (above - below) / 2;
    const std::uint32_t even = bits + bits % 2;
    EXPECT_EQ(TypeParam(middle).bits, even) << middle;
    EXPECT_EQ(TypeParam(std::nextafter(middle, below)).bits, bits) << middle;
    EXPECT_EQ(TypeParam(std::nextafter(middle, above)).bits, bits + 1) << middle;
    EXPECT_EQ(TypeParam(-middle).bits, even | 0x8000U) << middle;
  }
}

TEST(Float16, KnownNumbers) {
  EXPECT_EQ(Float16(1.0F).bits, 0x3C00);
  EXPECT_EQ(Float16(-2.0F).bits, 0xC000);
  EXPECT_EQ(Float16(65504.0F).bits, 0x7BFF);
  EXPECT_EQ(Float16(65519.0F).bits, 0x7BFF);
  EXPECT_EQ(Float16(65520.0F).bits, 0x7C00);  // half way to 2^16: infinite
  EXPECT_EQ(Float16(1e10F).bits, 0x7C00);
  EXPECT_EQ(Float16(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
  EXPECT_EQ(Float16(0x1p-24F).bits, 1);
  EXPECT_EQ(Float16(0x1p-26F).bits, 0);
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(std::nanf("")))));
}

TEST(BFloat16, KnownNumbers) {
  EXPECT_EQ(BFloat16(1.0F).bits, 0x3F80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(static_cast<float>(BFloat16(3.14159F)), 3.140625F);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7F800001U)))));
}

}  // namespace
}  // namespace tandem
