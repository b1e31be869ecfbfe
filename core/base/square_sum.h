#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tandem {

/// The exact sum of squares of floats, as an integer in units of the smallest square, 2^-298, in
/// words of 32 bits (the lowest first), and behind it a count that is above 0 where some number was
/// infinite or NaN. Being exact it has no order: parts made by several members of a job, of
/// whatever pieces, are put together by adding them word by word, and everyone who does so gets the
/// same bits. (After Neal, "Fast exact summation using small and large superaccumulators", 2015.)
inline constexpr std::size_t kSquareSumWords = 21;
using SquareSum = std::span<std::int64_t, kSquareSumWords>;

/// Adds the squares of `numbers`. `sum` begins as zeros. Words stay below 2^32, so that 2^31 sums
/// can be added.
void add_squares(std::span<const float> numbers, SquareSum sum);

/// The sum as a double, within one unit in the last place; infinite where a number was infinite or
/// NaN.
double square_sum(std::span<const std::int64_t, kSquareSumWords> sum);

}  // namespace tandem
