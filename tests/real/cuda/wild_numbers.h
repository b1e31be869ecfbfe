#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/base/square_sum.h"

namespace tandem {

using SquareWords = std::array<std::int64_t, kSquareSumWords>;

/// Finite, of any exponent, subnormal ones and zeros of either sign among them.
inline std::vector<float> wild_numbers(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    float number = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(number)) number = 1;
    if (i % 7 == 3)
      number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) & 0x807FFFFF);
    if (i % 11 == 5) number = std::copysign(0.0F, number);
    numbers[i] = number;
  }
  return numbers;
}

/// As gradients are: of about one magnitude, small.
inline std::vector<float> near_numbers(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(0, 0.003F);
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(random);
  return numbers;
}

}  // namespace tandem
