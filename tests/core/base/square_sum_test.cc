#include "core/base/square_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace tandem {
namespace {

using Words = std::array<std::int64_t, kSquareSumWords>;

Words square_words(std::span<const float> numbers) {
  Words words{};
  add_squares(numbers, words);
  return words;
}

double sum_of(const std::vector<float>& numbers) {
  return square_sum(square_words(numbers));
}

/// Of magnitudes from 2^-140 to 2^120, so that a sum in double would depend on its order.
std::vector<float> wild(std::size_t count) {
  std::vector<float> numbers;
  RandomStream random(3);
  for (std::size_t i = 0; i < count; ++i) {
    const int exponent = static_cast<int>(random.below(261)) - 140;
    numbers.push_back(std::ldexp(random.uniform() - 0.5F, exponent));
  }
  return numbers;
}

TEST(SquareSum, IsExact) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({3, -4}), 25);
  EXPECT_EQ(sum_of(std::vector<float>(1'000'001, 0.5F)), 250'000.25);
  constexpr float kLargest = std::numeric_limits<float>::max();
  EXPECT_EQ(sum_of({kLargest}), double{kLargest} * double{kLargest});
  EXPECT_EQ(sum_of({0x1p-149F}), 0x1p-298);
  EXPECT_EQ(sum_of(std::vector<float>(1 << 20, 0x1p-149F)), 0x1p-278);
  EXPECT_EQ(sum_of(std::vector<float>(200'000, kLargest)),
            200'000 * (double{kLargest} * double{kLargest}));
  // Each small square alone would be lost beside the large one.
  std::vector<float> numbers(1U << 20U, 0x1p-30F);
  numbers.front() = 1;
  EXPECT_EQ(sum_of(numbers), 1 + 0x1p-40);
}

TEST(SquareSum, HasTheSameWordsInAnyOrderAndCut) {
  std::vector<float> numbers = wild(100'003);
  const Words whole = square_words(numbers);
  EXPECT_GT(square_sum(whole), 0);
  std::vector<float> reversed(numbers.rbegin(), numbers.rend());
  EXPECT_EQ(square_words(reversed), whole);
  Words sliced{};
  for (std::size_t at = 0; at < numbers.size(); at += 997) {
    add_squares(std::span(numbers).subspan(at, std::min<std::size_t>(997, numbers.size() - at)),
                sliced);
  }
  EXPECT_EQ(sliced, whole);
}

TEST(SquareSum, AddsUpOverMembersWordByWord) {
  const std::vector<float> numbers = wild(70'000);
  Words sum{};
  for (std::size_t member = 0; member < 7; ++member) {
    const Words part = square_words(std::span(numbers).subspan(member * 10'000, 10'000));
    for (std::size_t i = 0; i < kSquareSumWords; ++i) sum[i] += part[i];
  }
  EXPECT_EQ(square_sum(sum), sum_of(numbers));
}

TEST(SquareSum, OfWhatIsNotFiniteIsInfinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(sum_of({1, kInfinity}), kInfinity);
  EXPECT_EQ(sum_of({-kInfinity, 1}), kInfinity);
  EXPECT_EQ(sum_of({std::nanf(""), 2}), kInfinity);
  EXPECT_EQ(sum_of(std::vector<float>(1U << 18U, kInfinity)), kInfinity);
}

}  // namespace
}  // namespace tandem
