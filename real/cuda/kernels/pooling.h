#pragma once

#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

/// The windows of a pool along one axis. They may reach out of the input on both sides.
struct Windows {
  int kernel, stride, padding;

  /// The inputs of window `index` among `inputs`: [begin, end).
  struct Range {
    int begin, end;
  };
  TANDEM_DEVICE Range inputs_of(int index, int inputs) const {
    const int first = index * stride - padding, last = first + kernel;
    return {first > 0 ? first : 0, last < inputs ? last : inputs};
  }
  /// The windows among `windows` that input `index` is in.
  TANDEM_DEVICE Range windows_of(int index, int windows) const {
    const int reach = index + padding;
    const int first = reach < kernel ? 0 : (reach - kernel) / stride + 1;
    const int last = reach / stride + 1;
    return {first, last < windows ? last : windows};
  }
};

/// What passes over a pool have in common.
struct Pool {
  Geometry input, output;
  Windows rows, columns;
};

/// One item an output. Of equal maxima the first counts; `chosen` is its place in the image.
template <typename T>
struct MaxPool {
  Pool pool;
  const T* values;
  T* maxima;
  int* chosen;

  TANDEM_DEVICE void operator()(int i) const {
    Position p = pool.output.position(i);
    const auto rows = pool.rows.inputs_of(p.y, pool.input.height);
    const auto columns = pool.columns.inputs_of(p.x, pool.input.width);
    float largest = 0;
    int where = -1;
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const float value = as_float(values[pool.input.place(p)]);
        if (where >= 0 && !(value > largest)) continue;
        largest = value;
        where = p.y * pool.input.width + p.x;
      }
    }
    store(maxima[i], largest);
    chosen[i] = where;
  }
};

/// One item an input: no two write to the same place, so the bits are always the same.
template <typename T>
struct MaxPoolBackward {
  Pool pool;
  const T* output_gradient;
  const int* chosen;
  T* input_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    Position p = pool.input.position(i);
    const int place = p.y * pool.input.width + p.x;
    const auto rows = pool.rows.windows_of(p.y, pool.output.height);
    const auto columns = pool.columns.windows_of(p.x, pool.output.width);
    float sum = 0;
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const int window = pool.output.place(p);
        if (chosen[window] == place) sum += as_float(output_gradient[window]);
      }
    }
    contribute(input_gradient[i], sum, adds);
  }
};

/// Of a window's inputs, or of all its places.
struct Average {
  Pool pool;
  bool counts_padding;

  TANDEM_DEVICE float share(int y, int x) const {
    const auto rows = pool.rows.inputs_of(y, pool.input.height);
    const auto columns = pool.columns.inputs_of(x, pool.input.width);
    const int count = counts_padding ? pool.rows.kernel * pool.columns.kernel
                                     : (rows.end - rows.begin) * (columns.end - columns.begin);
    return 1 / static_cast<float>(count);
  }
};

/// One item an output.
template <typename T>
struct AveragePool {
  Average average;
  const T* values;
  T* means;

  TANDEM_DEVICE void operator()(int i) const {
    const Pool& pool = average.pool;
    Position p = pool.output.position(i);
    const float share = average.share(p.y, p.x);
    const auto rows = pool.rows.inputs_of(p.y, pool.input.height);
    const auto columns = pool.columns.inputs_of(p.x, pool.input.width);
    float sum = 0;
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        sum += as_float(values[pool.input.place(p)]);
      }
    }
    store(means[i], share * sum);
  }
};

/// One item an input.
template <typename T>
struct AveragePoolBackward {
  Average average;
  const T* output_gradient;
  T* input_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    const Pool& pool = average.pool;
    Position p = pool.input.position(i);
    const auto rows = pool.rows.windows_of(p.y, pool.output.height);
    const auto columns = pool.columns.windows_of(p.x, pool.output.width);
    float sum = 0;
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        sum += average.share(p.y, p.x) * as_float(output_gradient[pool.output.place(p)]);
      }
    }
    contribute(input_gradient[i], sum, adds);
  }
};

}  // namespace tandem::cuda
