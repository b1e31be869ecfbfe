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
    const int first = begin_of(index), last = first + kernel;
    return {first > 0 ? first : 0, last < inputs ? last : inputs};
  }
  /// Where window `index` begins, in the input or before it.
  TANDEM_DEVICE int begin_of(int index) const { return index * stride - padding; }
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

  /// Whether W divides what neighbours of both tensors are of consecutive channels of one place.
  template <int W>
  bool has_width() const {
    return !input.has_planes() && !output.has_planes() && input.channels % W == 0;
  }
  /// An input's place in a window, whatever of that is in the input.
  TANDEM_DEVICE int place_in(const Position& window, int y, int x) const {
    return (y - rows.begin_of(window.y)) * columns.kernel + x - columns.begin_of(window.x);
  }
};

// Items are W neighbours: channels of one place where W is not 1.

/// Of outputs. Of equal maxima the first counts; `chosen` is its place in the window.
template <typename T, int W>
struct MaxPool {
  Pool pool;
  const T* values;
  T* maxima;
  std::uint16_t* chosen;

  TANDEM_DEVICE void operator()(int item) const {
    const Position window = pool.output.position(item * W);
    Position p = window;
    const auto rows = pool.rows.inputs_of(p.y, pool.input.height);
    const auto columns = pool.columns.inputs_of(p.x, pool.input.width);
    Pack<T, W> largest{};
    Pack<std::uint16_t, W> where{};
    bool is_first = true;
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const auto x = Pack<T, W>::at(values + pool.input.place(p));
        const auto place = static_cast<std::uint16_t>(pool.place_in(window, p.y, p.x));
        for (int i = 0; i < W; ++i) {
          const bool is_larger = is_first || x[i] > largest[i];
          if (is_larger) largest.numbers[i] = x.numbers[i];
          if (is_larger) where.numbers[i] = place;
        }
        is_first = false;
      }
    }
    Pack<T, W>::at(maxima + item * W) = largest;
    Pack<std::uint16_t, W>::at(chosen + item * W) = where;
  }
};

/// Of inputs: no two items write to the same place, so the bits are always the same.
template <typename T, int W>
struct MaxPoolBackward {
  Pool pool;
  const T* output_gradient;
  const std::uint16_t* chosen;
  T* input_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int item) const {
    const Position input = pool.input.position(item * W);
    Position p = input;
    const auto rows = pool.rows.windows_of(p.y, pool.output.height);
    const auto columns = pool.columns.windows_of(p.x, pool.output.width);
    float sums[W] = {};
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const int window = pool.output.place(p);
        const int place = pool.place_in(p, input.y, input.x);
        const auto where = Pack<std::uint16_t, W>::at(chosen + window);
        const auto dy = Pack<T, W>::at(output_gradient + window);
        for (int i = 0; i < W; ++i) sums[i] += where.numbers[i] == place ? dy[i] : 0;
      }
    }
    contribute<W>(input_gradient + item * W, adds, [&](int i) { return sums[i]; });
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

/// Of outputs.
template <typename T, int W>
struct AveragePool {
  Average average;
  const T* values;
  T* means;

  TANDEM_DEVICE void operator()(int item) const {
    const Pool& pool = average.pool;
    Position p = pool.output.position(item * W);
    const float share = average.share(p.y, p.x);
    const auto rows = pool.rows.inputs_of(p.y, pool.input.height);
    const auto columns = pool.columns.inputs_of(p.x, pool.input.width);
    float sums[W] = {};
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const auto x = Pack<T, W>::at(values + pool.input.place(p));
        for (int i = 0; i < W; ++i) sums[i] += x[i];
      }
    }
    contribute<W>(means + item * W, false, [&](int i) { return share * sums[i]; });
  }
};

/// Of inputs.
template <typename T, int W>
struct AveragePoolBackward {
  Average average;
  const T* output_gradient;
  T* input_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int item) const {
    const Pool& pool = average.pool;
    Position p = pool.input.position(item * W);
    const auto rows = pool.rows.windows_of(p.y, pool.output.height);
    const auto columns = pool.columns.windows_of(p.x, pool.output.width);
    float sums[W] = {};
    for (p.y = rows.begin; p.y < rows.end; ++p.y) {
      for (p.x = columns.begin; p.x < columns.end; ++p.x) {
        const float share = average.share(p.y, p.x);
        const auto dy = Pack<T, W>::at(output_gradient + pool.output.place(p));
        for (int i = 0; i < W; ++i) sums[i] += share * dy[i];
      }
    }
    contribute<W>(input_gradient + item * W, adds, [&](int i) { return sums[i]; });
  }
};

}  // namespace tandem::cuda
