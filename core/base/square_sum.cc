#include "core/base/square_sum.h"

#include <algorithm>
#include <array>

namespace tandem {
namespace {

/// Squares of fractions, by the exponent of their numbers: below 2^48 each, so 2^16 of them fit.
using Bins = std::array<std::uint64_t, 256>;
constexpr std::size_t kBinCapacity = 1U << 16U;

void fill(Bins& bins, std::span<const float> numbers) {
  for (const float number : numbers) {
    const FloatParts parts = float_parts(number);
    bins[parts.exponent] += std::uint64_t{parts.fraction} * parts.fraction;
  }
}

/// Adds half * 2^shift; half is below 2^32.
void add_shifted(std::uint64_t half, std::size_t shift, SquareSum sum) {
  const std::uint64_t shifted = half << (shift % 32);
  sum[shift / 32] += static_cast<std::int64_t>(shifted & 0xFFFFFFFF);
  sum[shift / 32 + 1] += static_cast<std::int64_t>(shifted >> 32U);
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
      const std::size_t shift = 2 * (std::max<std::size_t>(exponent, 1) - 1);
      add_shifted(bins[exponent] & 0xFFFFFFFF, shift, sum);
      add_shifted(bins[exponent] >> 32U, shift + 32, sum);
    }
    carry(sum);
    if (bins[kInfiniteExponent] > 0) ++sum[kSquareSumDigits];
  }
}

}  // namespace tandem
