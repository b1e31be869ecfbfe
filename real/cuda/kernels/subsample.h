#pragma once

#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// Between an image and its pixels at every stride-th row and column, in one layout.

/// One item a pixel that is kept.
template <typename T>
struct Subsample {
  const T* whole;
  T* kept;
  Geometry of_whole, of_kept;
  int stride_height, stride_width;

  TANDEM_DEVICE void operator()(int i) const {
    Position p = of_kept.position(i);
    p.y *= stride_height;
    p.x *= stride_width;
    kept[i] = whole[of_whole.place(p)];
  }
};

/// Puts them back among zeros, or adds them to what is there. One item an element of the whole.
template <typename T>
struct Spread {
  const T* kept;
  T* whole;
  Geometry of_whole, of_kept;
  int stride_height, stride_width;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    Position p = of_whole.position(i);
    const bool is_kept = p.y % stride_height == 0 && p.x % stride_width == 0;
    p.y /= stride_height;
    p.x /= stride_width;
    contribute(whole[i], is_kept ? as_float(kept[of_kept.place(p)]) : 0, adds);
  }
};

/// The sum of `count` arrays of `elements` each, one after the other. One item an element.
template <typename T>
struct SumOfArrays {
  const T* arrays;
  int elements, count;
  T* sum;

  TANDEM_DEVICE void operator()(int i) const {
    float total = 0;
    for (int k = 0; k < count; ++k) total += as_float(arrays[std::int64_t(k) * elements + i]);
    store(sum[i], total);
  }
};

}  // namespace tandem::cuda
