#pragma once

#include <cmath>

#include "core/base/random.h"
#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// One item a stretch of kWidth elements, or an element where there is no such. Those that end in
// Backward turn the gradient by an output into that by the input, and add it to what is there where
// it `adds`.

/// What values are kept between.
struct Bounds {
  float floor = -INFINITY, ceiling = INFINITY;

  TANDEM_DEVICE float clamp(float x) const {
    const float raised = x < floor ? floor : x;
    return raised > ceiling ? ceiling : raised;
  }
  /// Whether a value or what became of it changes with it.
  TANDEM_DEVICE bool pass(float x) const { return x > floor && x < ceiling; }
};

/// ReLU where the bounds are 0 and infinite.
template <typename T>
struct Rectify {
  static constexpr int kWidth = kPackWidth<T>;
  const T* input;
  T* output;
  int elements;
  Bounds bounds;

  TANDEM_DEVICE void operator()(int item) const {
    for_stretch<kWidth>(item, elements, [&](int place, auto width) {
      turn<width>(input + place, output + place, [&](int, float x) { return bounds.clamp(x); });
    });
  }
};

template <typename T>
struct RectifyBackward {
  static constexpr int kWidth = kPackWidth<T>;
  const T* output;
  const T* output_gradient;
  T* input_gradient;
  int elements;
  Bounds bounds;
  bool adds;

  TANDEM_DEVICE void operator()(int item) const {
    for_stretch<kWidth>(item, elements, [&](int place, auto width) {
      const auto y = Pack<T, width>::at(output + place);
      const auto dy = Pack<T, width>::at(output_gradient + place);
      contribute<width>(input_gradient + place, adds,
                        [&](int i) { return bounds.pass(y[i]) ? dy[i] : 0; });
    });
  }
};

/// What both passes of GELU (Hendrycks and Gimpel, 2016) take from x: the tanh of its approximation
/// and the slope of that tanh's argument.
struct GeluTanh {
  TANDEM_DEVICE explicit GeluTanh(float x)
      : value(tanhf(kRoot * (x + kCube * x * x * x))), slope(kRoot * (1 + 3 * kCube * x * x)) {}

  static constexpr float kRoot = 0.7978845608F;  // sqrt(2 / pi)
  static constexpr float kCube = 0.044715F;
  float value, slope;
};

template <typename T>
struct Gelu {
  static constexpr int kWidth = kPackWidth<T>;
  const T* input;
  T* output;
  int elements;

  TANDEM_DEVICE void operator()(int item) const {
    for_stretch<kWidth>(item, elements, [&](int place, auto width) {
      turn<width>(input + place, output + place,
                  [](int, float x) { return 0.5F * x * (1 + GeluTanh(x).value); });
    });
  }
};

template <typename T>
struct GeluBackward {
  static constexpr int kWidth = kPackWidth<T>;
  const T* input;
  const T* output_gradient;
  T* input_gradient;
  int elements;
  bool adds;

  TANDEM_DEVICE void operator()(int item) const {
    for_stretch<kWidth>(item, elements, [&](int place, auto width) {
      const auto xs = Pack<T, width>::at(input + place);
      const auto dy = Pack<T, width>::at(output_gradient + place);
      contribute<width>(input_gradient + place, adds, [&](int i) {
        const float x = xs[i];
        const GeluTanh tanh(x);
        const float slope =
            0.5F * (1 + tanh.value) + 0.5F * x * (1 - tanh.value * tanh.value) * tanh.slope;
        return slope * dy[i];
      });
    });
  }
};

/// Dropout (Srivastava et al., JMLR 2014), scaled while training, of values and of gradients alike.
/// Element i in plain order is kept where the i-th number of stream `stream` of the seed is at
/// least the probability: as on every device. One item an element.
template <typename T>
struct Dropout {
  const T* from;
  T* to;
  Geometry geometry;
  const std::uint64_t* seed;
  std::uint64_t stream;
  float probability;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    RandomStream random(*seed, stream);
    random.skip(static_cast<std::uint64_t>(geometry.plain().place(geometry.position(i))));
    const float factor = random.uniform() < probability ? 0 : 1 / (1 - probability);
    contribute(to[i], factor * as_float(from[i]), adds);
  }
};

/// Adds a number a channel to a tensor, by ChannelWalk.
template <typename T, int W>
struct AddBias {
  T* values;
  ChannelWalk<W> walk;
  const float* bias;

  TANDEM_DEVICE void operator()(int item) const {
    const auto channels = walk.channels(item);
    walk.each(item, [&](int place, int) {
      turn<W>(values + place, values + place,
              [&](int i, float x) { return x + bias[channels.index(i)]; });
    });
  }
};

}  // namespace tandem::cuda
