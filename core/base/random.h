#pragma once

#include <cassert>
#include <cstdint>

namespace tandem {

/// Random numbers that are the same on every machine and standard library (the standard's
/// distributions and shuffle aren't): SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014) over a counter. Streams of the same seed with
/// different numbers are independent of each other.
class RandomStream {
 public:
  explicit constexpr RandomStream(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(mix(seed + kGolden) ^ (stream * kGolden + 1))) {}

  constexpr std::uint64_t next() { return mix(state_ += kGolden); }

  /// Leaves out the next `count` numbers, in no time.
  constexpr void skip(std::uint64_t count) { state_ += count * kGolden; }

  /// In [0, 1), a multiple of 2^-24, so exact as a float.
  constexpr float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  /// In (0, 1), for the inverse of a distribution, which may have no value at the ends.
  double open_uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

  /// Mean 0 and variance 1, near normal: the sum of the four 16-bit quarters of one draw, since the
  /// logarithm that exact methods need differs between libraries in its last bit.
  float near_normal() {
    const std::uint64_t draw = next();
    std::int32_t sum = 0;
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<std::int32_t>((draw >> shift) & 0xFFFF);
    }
    constexpr float kRootOfThree = 1.7320508f;  // a quarter's variance is 2^32 / 12
    return static_cast<float>(sum - 2 * 0xFFFF) * (kRootOfThree * 0x1p-16f);
  }

  /// In [0, bound), each equally likely. Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound: the incomplete last run
    std::uint64_t value = next();
    while (value < rejected) value = next();
    return value % bound;
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace tandem
