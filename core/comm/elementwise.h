#pragma once

#include "core/base/square_sum.h"
#include "core/comm/buffer.h"

namespace tandem {

// Arithmetic on host views, which a device that has copies of them does there. All do nothing where
// the views carry no data. One rounding an element, so the same bits however views are cut.

/// destination[i] += source[i], in numbers of the dtype: 16-bit ones are added as float and rounded
/// once. Views of equal size and dtype, which is not kByte.
void add(const View& destination, const View& source);

/// destination[i] = scale * source[i], rounded to the destination's dtype. Views of equal size of
/// floating-point dtypes.
void convert(View destination, View source, float scale = 1);

/// destination[i] += scale * source[i] in float, rounded to the destination's dtype. Views of equal
/// size of floating-point dtypes.
void accumulate(View destination, View source, float scale = 1);

/// destination[i] = 0.
void clear(View destination);

/// Adds the squares of `numbers`, of a floating-point dtype, to `sum`, the kSquareSumWords of an
/// exact sum (base/square_sum.h).
void add_squares(View sum, View numbers);

/// The words of such a sum.
inline SquareSum square_sum_words(const View& sum) {
  return SquareSum(sum.numbers<std::int64_t>());
}

}  // namespace tandem
