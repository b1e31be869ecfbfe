#pragma once

#include <cmath>

#include "core/base/random.h"
#include "real/cuda/kernels/geometry.h"

namespace tandem::cuda {

// One item an element. Those that end in Backward turn the gradient by an output into that by the
// input, and add it to what is there where it `adds`.

/// Between 0 and `ceiling`: ReLU where that is infinite.
template <typename T>
struct Rectify {
  const T* input;
  T* output;
  float ceiling;

  TANDEM_DEVICE void operator()(int i) const {
    const float x = as_float(input[i]);
    store(output[i], x > ceiling ? ceiling : x > 0 ? x : 0);
  }
};

template <typename T>
struct RectifyBackward {
  const T* output;
  const T* output_gradient;
  T* input_gradient;
  float ceiling;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    const float y = as_float(output[i]);
    const bool passes = y > 0 && y < ceiling;
    contribute(input_gradient[i], passes ? as_float(output_gradient[i]) : 0, adds);
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
  const T* input;
  T* output;

  TANDEM_DEVICE void operator()(int i) const {
    const float x = as_float(input[i]);
    store(output[i], 0.5F * x * (1 + GeluTanh(x).value));
  }
};

template <typename T>
struct GeluBackward {
  const T* input;
  const T* output_gradient;
  T* input_gradient;
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    const float x = as_float(input[i]);
    const GeluTanh tanh(x);
    const float slope =
        0.5F * (1 + tanh.value) + 0.5F * x * (1 - tanh.value * tanh.value) * tanh.slope;
    contribute(input_gradient[i], slope * as_float(output_gradient[i]), adds);
  }
};

/// Dropout (Srivastava et al., JMLR 2014), scaled while training, of values and of gradients alike.
/// Element i in plain order is kept where the i-th number of stream `stream` of the seed is at
/// least the probability: as on every device.
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

/// Adds a number a channel to a tensor.
template <typename T>
struct AddBias {
  T* values;
  Geometry geometry;
  const float* bias;

  TANDEM_DEVICE void operator()(int i) const {
    store(values[i], as_float(values[i]) + bias[geometry.channel(i)]);
  }
};

}  // namespace tandem::cuda
