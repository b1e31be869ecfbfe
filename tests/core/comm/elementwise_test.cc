#include "core/comm/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tandem {
namespace {

template <typename T>
Buffer buffer_of(const std::vector<float>& numbers) {
  Buffer buffer = make_host_buffer(numbers.size(), dtype_of<T>());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    buffer.view().numbers<T>()[i] = T(numbers[i]);
  }
  return buffer;
}

template <typename T>
std::vector<float> numbers_of(const Buffer& buffer) {
  std::vector<float> numbers;
  for (const T number : buffer.view().numbers<T>()) numbers.push_back(static_cast<float>(number));
  return numbers;
}

TEST(Elementwise, ClearsAndAddsSquaresOfAnyFloatingDType) {
  const Buffer sum = make_host_buffer(kSquareSumWords, DType::kInt64);
  std::ranges::fill(sum.view().numbers<std::int64_t>(), -1);
  clear(sum.view());
  const std::vector<float> numbers(5000, -1.5F);  // more than are widened at once
  add_squares(sum.view(), buffer_of<float>(numbers).view());
  add_squares(sum.view(), buffer_of<Float16>(numbers).view());
  add_squares(sum.view(), buffer_of<BFloat16>(numbers).view().slice(1, 4999));
  EXPECT_EQ(square_sum(square_sum_words(sum.view())), 14'999 * 2.25);
  const Buffer sizes = make_size_only_buffer(kSquareSumWords, DType::kInt64);
  clear(sizes.view());
  add_squares(sizes.view(), make_size_only_buffer(7, DType::kFloat32).view());
}

TEST(Elementwise, AddsInNumbersOfTheDType) {
  const Buffer floats = buffer_of<float>({1, 2048});
  add(floats.view(), buffer_of<float>({0.5F, 1}).view());
  EXPECT_EQ(numbers_of<float>(floats), (std::vector<float>{1.5F, 2049}));
  // 2049 lies between two numbers of 11 bits, 2048 and 2050: to even
  const Buffer halves = buffer_of<Float16>({1, 2048, 65504});
  add(halves.view(), buffer_of<Float16>({0.5F, 1, 65504}).view());
  EXPECT_EQ(numbers_of<Float16>(halves),
            (std::vector<float>{1.5F, 2048, std::numeric_limits<float>::infinity()}));
  const Buffer brains = buffer_of<BFloat16>({1, 256});
  add(brains.view(), buffer_of<BFloat16>({0.5F, 3}).view());
  EXPECT_EQ(numbers_of<BFloat16>(brains), (std::vector<float>{1.5F, 260}));
  const Buffer integers = make_host_buffer(1, DType::kInt64);
  integers.view().numbers<std::int64_t>()[0] = (std::int64_t{1} << 53U) + 1;
  add(integers.view(), integers.view());
  EXPECT_EQ(integers.view().numbers<std::int64_t>()[0], (std::int64_t{1} << 54U) + 2);
}

TEST(Elementwise, ConvertsAndAccumulatesWithOneRounding) {
  const Buffer source = buffer_of<float>({1, 1 + 0x1p-11F, 3});
  const Buffer halves = buffer_of<Float16>({0, 0, 0});
  convert(halves.view(), source.view(), 2);
  EXPECT_EQ(numbers_of<Float16>(halves), (std::vector<float>{2, 2, 6}));
  // 1 + 2^-11, rounded before it is added, would be 1, and 2049 a tie that goes to 2048.
  const Buffer sum = buffer_of<Float16>({2048});
  accumulate(sum.view(), buffer_of<float>({1 + 0x1p-11F}).view());
  EXPECT_EQ(numbers_of<Float16>(sum), std::vector<float>{2050});
  const Buffer back = buffer_of<float>({0, 0, 0});
  convert(back.view(), halves.view(), 0.5F);
  EXPECT_EQ(numbers_of<float>(back), (std::vector<float>{1, 1, 3}));
}

TEST(Elementwise, DoesNothingWithoutData) {
  const Buffer sizes = make_size_only_buffer(10, DType::kFloat16);
  add(sizes.view(), sizes.view());
  convert(sizes.view(), make_size_only_buffer(10, DType::kFloat32).view());
  EXPECT_EQ(sizes.view().bytes(), 20U);
}

}  // namespace
}  // namespace tandem
