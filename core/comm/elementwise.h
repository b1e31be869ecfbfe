#pragma once

#include "core/comm/buffer.h"

namespace tandem {

// Arithmetic on host views, which a device that has copies of them does there. All do nothing where
// the views carry no data. One rounding an element, so the same bits however views are cut.

/// destination[i] += source[i], in numbers of the dtype: 16-bit ones are added as float and rounded
/// once. Views of equal size and dtype, which is not kByte.
void add(View destination, View source);

/// destination[i] = scale * source[i], rounded to the destination's dtype. Views of equal size of
/// floating-point dtypes.
void convert(View destination, View source, float scale = 1);

/// destination[i] += scale * source[i] in float, rounded to the destination's dtype. Views of equal
/// size of floating-point dtypes.
void accumulate(View destination, View source, float scale = 1);

}  // namespace tandem
