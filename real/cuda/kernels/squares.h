#pragma once

#include "core/base/square_sum.h"
#include "real/cuda/kernels/numbers.h"
#include "real/cuda/kernels/sums.h"

namespace tandem::cuda {

// Exact sums of squares (core/base/square_sum.h), whose words are the host's however an arena is
// cut and whoever comes first.

/// Other groups may add to the same word meanwhile.
TANDEM_DEVICE inline void add_atomically(std::int64_t* word, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
#else
  *word += static_cast<std::int64_t>(value);
#endif
}

__extension__ typedef unsigned __int128 WideInteger;

/// What one lane adds up, of at most kMost numbers. Gradients that a lane meets are mostly of one
/// magnitude, so it keeps a window of 128 bits on the sum in registers, which begins at a digit. A
/// number that is too large or too small for the window moves it, and only then are the digits
/// written to that it leaves.
class LaneSquares {
 public:
  static constexpr int kMost = 1 << 16;
  /// Beside it: an object of which a part is indexed is wholly kept out of registers.
  using Digits = std::uint64_t[kSquareSumDigits];

  /// `digits` must be zeros, and outlive it.
  TANDEM_DEVICE explicit LaneSquares(Digits& digits) : digits_(digits) {}

  TANDEM_DEVICE void add(float number) {
    const FloatParts parts = float_parts(number);
    if (parts.fraction == 0) return;
    if (parts.exponent == kInfiniteExponent) {
      is_finite_ = false;
      return;
    }
    // fraction * 2^place, in units of the smallest float, of whose square a digit is 2^32.
    const int place = parts.exponent > 0 ? static_cast<int>(parts.exponent) - 1 : 0;
    int above = place - first_ * kPlaces;
    if (above < 0 || above > kMostAbove) {
      empty_window();
      first_ = place < 2 * kPlaces ? 0 : place / kPlaces - 1;
      above = place - first_ * kPlaces;
    }
    const std::uint64_t whole = std::uint64_t{parts.fraction} << above;
    window_ += WideInteger{whole} * whole;
  }

  /// Adds all that the lanes have to `sum`, which other groups may add to. Ends this one's use.
  template <typename Lanes>
  TANDEM_DEVICE void add_to(std::int64_t* sum, Lanes& lanes) {
    empty_window();
    const int last = lanes.max(highest_);
    for (int digit = -lanes.max(-lowest_); digit <= last; ++digit) {
      const std::uint64_t of_all = lanes.sum(digits_[digit]);
      if (lanes.index() == 0) add_atomically(sum + digit, of_all);
    }
    const bool are_finite = lanes.max(is_finite_ ? 0 : 1) == 0;
    if (!are_finite && lanes.index() == 0) add_atomically(sum + kSquareSumDigits, 1);
  }

 private:
  static constexpr int kPlaces = 16;     ///< of numbers, for a digit of their squares
  static constexpr int kMostAbove = 32;  ///< so that squares in the window stay below 2^112
  static constexpr int kDigits = 4;      ///< of the window

  TANDEM_DEVICE void empty_window() {
    if (window_ == 0) return;
    for (int i = 0; i < kDigits; ++i) {
      digits_[first_ + i] += static_cast<std::uint32_t>(window_);
      window_ >>= 32;
    }
    lowest_ = first_ < lowest_ ? first_ : lowest_;
    highest_ = first_ + kDigits - 1 > highest_ ? first_ + kDigits - 1 : highest_;
  }

  WideInteger window_ = 0;
  int first_ = 0;  ///< the window's lowest digit
  bool is_finite_ = true;
  Digits& digits_;
  int lowest_ = kSquareSumDigits, highest_ = -1;  ///< of those that were written to
};

/// So many groups that a GPU has enough of them, and stretches so long that putting a group's sums
/// together takes little of its time.
constexpr Split split_for_squares(int elements) {
  constexpr int kGroups = 2048, kShortest = 2048;
  const int length = elements / kGroups;
  return {elements, std::clamp(length, kShortest, LaneSquares::kMost)};
}

/// Group g adds the squares of its stretch to `sum`.
template <typename T>
struct AddSquares {
  const T* numbers;
  Split stretches;
  std::int64_t* sum;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    const T* from = numbers + stretches.begin(group);
    LaneSquares::Digits digits = {};
    LaneSquares squares(digits);
    for_each_step(
        lanes.index(), stretches.count(group), lanes.count(), [&](int i) { return from[i]; },
        [&](T number) { squares.add(as_float(number)); });
    squares.add_to(sum, lanes);
  }
};

/// Item i carries the i-th of sums that lie one after the other, after at most 2^31 numbers were
/// added to each: then their words are the host's.
struct CarrySums {
  std::int64_t* sums;

  TANDEM_DEVICE void operator()(int i) const {
    carry(SquareSum(sums + i * kSquareSumWords, kSquareSumWords));
  }
};

}  // namespace tandem::cuda
