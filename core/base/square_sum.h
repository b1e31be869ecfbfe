#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace tandem {

/// The exact sum of squares of floats, as an integer in units of the smallest square, 2^-298, in
/// digits of 32 bits (the lowest first), and behind them a count that is above 0 where some number
/// was infinite or NaN. Being exact it has no order: parts made by several members of a job, or by
/// the threads of a device, of whatever pieces, are put together by adding them word by word, and
/// everyone who does so gets the same bits. (After Neal, "Fast exact summation using small and
/// large superaccumulators", 2015.)
inline constexpr std::size_t kSquareSumWords = 21;
inline constexpr std::size_t kSquareSumDigits = kSquareSumWords - 1;
using SquareSum = std::span<std::int64_t, kSquareSumWords>;

/// Adds the squares of `numbers`. `sum` begins as zeros. Words stay below 2^32, so that 2^31 sums
/// can be added.
void add_squares(std::span<const float> numbers, SquareSum sum);

// What devices do too is here.

/// A float's bits: it is fraction * 2^(exponent - 150), a subnormal one as if its exponent were 1.
struct FloatParts {
  std::uint32_t exponent, fraction;
};
inline constexpr std::uint32_t kInfiniteExponent = 255;  ///< of what is infinite or NaN

constexpr FloatParts float_parts(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t exponent = (bits >> 23U) & 0xFFU;
  const std::uint32_t implicit_one = exponent > 0 ? 0x800000U : 0;
  return {exponent, (bits & 0x7FFFFFU) | implicit_one};
}

/// Brings what has come together in digits below 2^32 again, but for the highest.
constexpr void carry(SquareSum sum) {
  for (std::size_t i = 0; i + 1 < kSquareSumDigits; ++i) {
    sum[i + 1] += sum[i] >> 32U;
    sum[i] &= 0xFFFFFFFF;
  }
}

/// The sum as a double, within one unit in the last place; infinite where a number was infinite or
/// NaN.
constexpr double square_sum(std::span<const std::int64_t, kSquareSumWords> sum) {
  if (sum[kSquareSumDigits] != 0) return std::numeric_limits<double>::infinity();
  std::int64_t words[kSquareSumWords] = {};
  for (std::size_t i = 0; i < kSquareSumDigits; ++i) words[i] = sum[i];
  carry(SquareSum(words));
  double total = 0;
  for (std::size_t i = kSquareSumDigits; i-- > 0;) {
    total = total * 0x1p32 + static_cast<double>(words[i]);
  }
  return total * 0x1p-298;
}

}  // namespace tandem
