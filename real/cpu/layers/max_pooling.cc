#include "real/cpu/layers/max_pooling.h"

#include <algorithm>
#include <cstddef>

#include "core/base/each_processor.h"

namespace tandem {
namespace {

/// The part of a window along an axis that is in the source: its elements [first, last), of which
/// element 0 is at `begin`.
struct Reach {
  Reach(int position, int stride, int padding, int kernel, int inputs)
      : begin(position * stride - padding),
        first(std::max(0, -begin)),
        last(std::min(kernel, inputs - begin)) {}

  int begin, first, last;
};

struct Window {
  Window(const MaxPooling& pool, int y, int x)
      : rows(y, pool.window.stride_height, pool.window.padding_height, pool.window.kernel_height,
             pool.source.height),
        columns(x, pool.window.stride_width, pool.window.padding_width, pool.window.kernel_width,
                pool.source.width) {}

  /// In the image, of the first lane at a place in the window.
  [[gnu::always_inline]] std::size_t offset(const MaxPooling& pool, int ky, int kx) const {
    return (std::size_t(rows.begin + ky) * pool.source.width + (columns.begin + kx)) * pool.lanes;
  }

  Reach rows, columns;
};

/// W lanes at `source_values`, the image's, of one window.
template <int W>
[[gnu::always_inline]] inline void find_maxima(const MaxPooling& pool, const Window& at,
                                               const float* source_values, float* maxima,
                                               std::uint8_t* places) {
  float best[W];
  std::int32_t place[W];
  const float* first = source_values + at.offset(pool, at.rows.first, at.columns.first);
  for (int lane = 0; lane < W; ++lane) {
    best[lane] = first[lane];
    place[lane] = at.rows.first * pool.window.kernel_width + at.columns.first;
  }
  for (int ky = at.rows.first; ky < at.rows.last; ++ky) {
    for (int kx = at.columns.first; kx < at.columns.last; ++kx) {
      const std::int32_t here = ky * pool.window.kernel_width + kx;
      const float* values = source_values + at.offset(pool, ky, kx);
      for (int lane = 0; lane < W; ++lane) {
        const bool is_better = values[lane] > best[lane];
        best[lane] = is_better ? values[lane] : best[lane];
        place[lane] = is_better ? here : place[lane];
      }
    }
  }
  for (int lane = 0; lane < W; ++lane) {
    maxima[lane] = best[lane];
    places[lane] = static_cast<std::uint8_t>(place[lane]);
  }
}

template <int W>
[[gnu::always_inline]] inline void pass_back(const MaxPooling& pool, const Window& at,
                                             const float* gradient, const std::uint8_t* places,
                                             float* source_gradient) {
  float part[W];
  std::int32_t place[W];
  for (int lane = 0; lane < W; ++lane) {
    part[lane] = gradient[lane];
    place[lane] = places[lane];
  }
  for (int ky = at.rows.first; ky < at.rows.last; ++ky) {
    for (int kx = at.columns.first; kx < at.columns.last; ++kx) {
      const std::int32_t here = ky * pool.window.kernel_width + kx;
      float* sums = source_gradient + at.offset(pool, ky, kx);
      for (int lane = 0; lane < W; ++lane) sums[lane] += place[lane] == here ? part[lane] : 0.0F;
    }
  }
}

/// Calls part<W>(window, first of W lanes, place in the output) for all windows of an image and all
/// lanes: by eights and, of what is left of 10 or 20 channels, by twos.
template <typename Part>
[[gnu::always_inline]] inline void each_part(const MaxPooling& pool, const Part& part) {
  std::size_t out = 0;
  for (int y = 0; y < pool.output.height; ++y) {
    for (int x = 0; x < pool.output.width; ++x, out += pool.lanes) {
      const Window at(pool, y, x);
      int lane = 0;
      const auto by = [&]<int W>() __attribute__((always_inline)) {
        for (; lane + W <= pool.lanes; lane += W) part.template operator()<W>(at, lane, out + lane);
      };
      by.template operator()<8>();
      by.template operator()<2>();
      by.template operator()<1>();
    }
  }
}

TANDEM_EACH_PROCESSOR
void forward_image(const MaxPooling& pool, const float* source_values, float* maxima,
                   std::uint8_t* places) {
  each_part(
      pool, [&]<int W>(const Window& at, int lane, std::size_t out) __attribute__((always_inline)) {
        find_maxima<W>(pool, at, source_values + lane, maxima + out, places + out);
      });
}

TANDEM_EACH_PROCESSOR
void backward_image(const MaxPooling& pool, const float* gradient, const std::uint8_t* places,
                    float* source_gradient) {
  std::fill_n(source_gradient, std::size_t(pool.source.height) * pool.source.width * pool.lanes,
              0.0F);
  each_part(
      pool, [&]<int W>(const Window& at, int lane, std::size_t out) __attribute__((always_inline)) {
        pass_back<W>(pool, at, gradient + out, places + out, source_gradient + lane);
      });
}

std::size_t elements_of(const Shape& shape, int lanes) {
  return std::size_t(shape.height) * shape.width * lanes;
}

}  // namespace

void MaxPooling::forward(const float* source_values, float* maxima, std::uint8_t* places) const {
  const std::size_t in = elements_of(source, lanes), out = elements_of(output, lanes);
#pragma omp parallel for
  for (int image = 0; image < images; ++image) {
    forward_image(*this, source_values + image * in, maxima + image * out, places + image * out);
  }
}

void MaxPooling::backward(const float* output_gradient, const std::uint8_t* places,
                          float* source_gradient) const {
  const std::size_t in = elements_of(source, lanes), out = elements_of(output, lanes);
#pragma omp parallel for
  for (int image = 0; image < images; ++image) {
    backward_image(*this, output_gradient + image * out, places + image * out,
                   source_gradient + image * in);
  }
}

}  // namespace tandem
