#include "core/base/square_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

constexpr std::size_t kDigits = kSquareSumWords - 1;
constexpr std::int64_t kDigitMask = 0xFFFFFFFF;
constexpr std::size_t kInfiniteExponent = 255;

/// Squares of fractions, by the exponent of their numbers: below 2^48 each, so 2^16 of them fit.
using Bins = std::array<std::uint64_t, 256>;
constexpr std::size_t kBinCapacity = 1U << 16U;

void fill(Bins& bins, std::span<const float> numbers) {
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::size_t exponent = (bits >> 23U) & 0xFFU;
    const std::uint64_t implicit_one = exponent > 0 ? 0x800000U : 0;
    const std::uint64_t fraction = (bits & 0x7FFFFFU) | implicit_one;
    bins[exponent] += fraction * fraction;
  }
}

/// Adds half * 2^shift; half is below 2^32.
void add_shifted(std::uint64_t half, std::size_t shift, SquareSum sum) {
  const std::uint64_t shifted = half << (shift % 32);
  sum[shift / 32] += static_cast<std::int64_t>(shifted & kDigitMask);
  sum[shift / 32 + 1] += static_cast<std::int64_t>(shifted >> 32U);
}

void carry(SquareSum sum) {
  for (std::size_t i = 0; i + 1 < kDigits; ++i) {
    sum[i + 1] += sum[i] >> 32U;
    sum[i] &= kDigitMask;
  }
}

}  // namespace

void add_squares(std::span<const float> numbers, SquareSum sum) {
  while (!numbers.empty()) {
    const auto part = numbers.first(std::min(numbers.size(), kBinCapacity));
    numbers = numbers.subspan(part.size());
    Bins bins{};
    fill(bins, part);
    for (std::size_t exponent = 0; exponent < kInfiniteExponent; ++exponent) {
      if (bins[exponent] == 0) continue;
      // A number is its fraction times 2^(exponent - 150), a subnormal as if its exponent were 1.
      const std::size_t shift = 2 * (std::max<std::size_t>(exponent, 1) - 1);
      add_shifted(bins[exponent] & kDigitMask, shift, sum);
      add_shifted(bins[exponent] >> 32U, shift + 32, sum);
    }
    carry(sum);
    if (bins[kInfiniteExponent] > 0) ++sum[kDigits];
  }
}

double square_sum(std::span<const std::int64_t, kSquareSumWords> sum) {
  if (sum[kDigits] != 0) return std::numeric_limits<double>::infinity();
  std::array<std::int64_t, kSquareSumWords> digits{};
  std::ranges::copy(sum, digits.begin());
  carry(digits);
  double total = 0;
  for (std::size_t i = kDigits; i-- > 0;) {
    total += std::ldexp(static_cast<double>(digits[i]), 32 * static_cast<int>(i) - 298);
  }
  return total;
}

}  // namespace tandem
