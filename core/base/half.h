#pragma once

#include <bit>
#include <cstdint>

namespace tandem {

// The two 16-bit floating-point formats, as storage: arithmetic is done in float. Conversions from
// float round to nearest, ties to even, as IEEE 754 has it and every device does; integer code, so
// that no build differs from another.

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits; largest 65504, smallest 2^-24.
struct Float16 {
  std::uint16_t bits = 0;

  Float16() = default;
  explicit Float16(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = whole & 0x80000000U;
    const std::uint32_t magnitude = whole ^ sign;
    std::uint32_t rounded = 0;
    if (magnitude > 0x7F800000U) {
      rounded = 0x7E00;  // not a number
    } else if (magnitude >= 0x47800000U) {
      rounded = 0x7C00;  // 2^16 and above: infinite
    } else if (magnitude < 0x38800000U) {
      // Below 2^-14: adding 1/2 puts the last place of a subnormal into that of the float.
      const float aligned = std::bit_cast<float>(magnitude) + 0.5F;
      rounded = std::bit_cast<std::uint32_t>(aligned) - 0x3F000000U;
    } else {
      const std::uint32_t is_odd = (magnitude >> 13U) & 1U;
      rounded = (magnitude - 0x38000000U + 0xFFFU + is_odd) >> 13U;  // may carry up to infinity
    }
    bits = static_cast<std::uint16_t>(rounded | (sign >> 16U));
  }

  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = (bits & 0x7FFFU) << 13U;
    const std::uint32_t exponent = magnitude & 0x0F800000U;
    if (exponent == 0x0F800000U) return std::bit_cast<float>(sign | (magnitude + 0x70000000U));
    // A subnormal becomes exact by giving it an implicit one and taking that away again.
    const float value = exponent == 0 ? std::bit_cast<float>(magnitude + 0x38800000U) - 0x1p-14F
                                      : std::bit_cast<float>(magnitude + 0x38000000U);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
};

/// bfloat16: a float's first 16 bits, so its range with 7 fraction bits.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (whole & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t is_odd = (whole >> 16U) & 1U;
    const std::uint32_t rounded = is_nan ? whole | 0x400000U : whole + 0x7FFFU + is_odd;
    bits = static_cast<std::uint16_t>(rounded >> 16U);
  }

  explicit operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
  }
};

}  // namespace tandem
