#pragma once

#include <cmath>

#include "real/cuda/kernels/sums.h"

namespace tandem::cuda {

// ---- Batch normalisation (Ioffe and Szegedy, ICML 2015). With y = scale x' + shift, x' = (x -
// mean) / deviation over N values of a channel, the gradient by x is
//   scale / deviation (dy - sum(dy) / N - x' sum(dy x') / N).

/// By channel.
struct Statistics {
  const float* mean;
  const float* variance;
  float epsilon;

  TANDEM_DEVICE float inverse_deviation(int channel) const {
    return 1 / sqrtf(variance[channel] + epsilon);
  }
};

/// The term of a variance.
template <typename T>
struct SquaredDeviation {
  const T* values;
  const float* mean;

  TANDEM_DEVICE Sums operator()(int place, int channel) const {
    const float deviation = as_float(values[place]) - mean[channel];
    return {deviation * deviation, 0};
  }
};

/// The terms sum(dy) and sum(dy x').
template <typename T>
struct BatchNormTerms {
  const T* values;
  const T* output_gradient;
  Statistics statistics;

  TANDEM_DEVICE Sums operator()(int place, int channel) const {
    const float gradient = as_float(output_gradient[place]);
    const float normal = (as_float(values[place]) - statistics.mean[channel]) *
                         statistics.inverse_deviation(channel);
    return {gradient, gradient * normal};
  }
};

template <typename T>
struct BatchNorm {
  const T* values;
  T* output;
  Geometry geometry;
  Statistics statistics;
  const float* scale;
  const float* shift;

  TANDEM_DEVICE void operator()(int i) const {
    const int channel = geometry.channel(i);
    const float normal =
        (as_float(values[i]) - statistics.mean[channel]) * statistics.inverse_deviation(channel);
    store(output[i], scale[channel] * normal + shift[channel]);
  }
};

template <typename T>
struct BatchNormBackward {
  const T* values;
  const T* output_gradient;
  T* input_gradient;
  Geometry geometry;
  Statistics statistics;
  const float* scale;
  const float* gradient_sums;  ///< sum(dy) and
  const float* normal_sums;    ///< sum(dy x') by channel
  float share;                 ///< 1 / N
  bool adds;

  TANDEM_DEVICE void operator()(int i) const {
    const int channel = geometry.channel(i);
    const float inverse = statistics.inverse_deviation(channel);
    const float normal = (as_float(values[i]) - statistics.mean[channel]) * inverse;
    const float rest = as_float(output_gradient[i]) - share * gradient_sums[channel] -
                       share * normal_sums[channel] * normal;
    contribute(input_gradient[i], scale[channel] * inverse * rest, adds);
  }
};

/// Moves what evaluation goes by towards a batch's statistics; one item a channel.
struct RenewStatistics {
  const float* mean;
  const float* variance;
  float* running_mean;
  float* running_variance;
  float momentum;
  float unbias;  ///< turns the variance of the batch into its unbiased estimate

  TANDEM_DEVICE void operator()(int channel) const {
    running_mean[channel] += momentum * (mean[channel] - running_mean[channel]);
    running_variance[channel] +=
        momentum * (unbias * variance[channel] - running_variance[channel]);
  }
};

// ---- Layer normalisation (Ba, Kiros and Hinton, 2016), a group a row.

template <typename T>
struct LayerNorm {
  const T* values;
  T* output;
  int features;
  float epsilon;
  const float* scale;
  const float* shift;
  float* mean;  ///< by row, for backward, as is the next
  float* inverse_deviation;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int row, Lanes& lanes) const {
    const T* x = values + std::int64_t(row) * features;
    float sum = 0;
    for (int i = lanes.index(); i < features; i += lanes.count()) sum += as_float(x[i]);
    const float middle = lanes.sum(sum) / static_cast<float>(features);
    sum = 0;
    for (int i = lanes.index(); i < features; i += lanes.count()) {
      const float deviation = as_float(x[i]) - middle;
      sum += deviation * deviation;
    }
    const float inverse = 1 / sqrtf(lanes.sum(sum) / static_cast<float>(features) + epsilon);
    T* y = output + std::int64_t(row) * features;
    for (int i = lanes.index(); i < features; i += lanes.count()) {
      store(y[i], scale[i] * (as_float(x[i]) - middle) * inverse + shift[i]);
    }
    if (lanes.index() != 0) return;
    mean[row] = middle;
    inverse_deviation[row] = inverse;
  }
};

template <typename T>
struct LayerNormBackward {
  const T* values;
  const T* output_gradient;
  T* input_gradient;
  int features;
  const float* scale;
  const float* mean;
  const float* inverse_deviation;
  bool adds;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int row, Lanes& lanes) const {
    const std::int64_t begin = std::int64_t(row) * features;
    const float inverse = inverse_deviation[row];
    float sum = 0, normal_sum = 0;
    for (int i = lanes.index(); i < features; i += lanes.count()) {
      const float gradient = scale[i] * as_float(output_gradient[begin + i]);
      sum += gradient;
      normal_sum += gradient * (as_float(values[begin + i]) - mean[row]) * inverse;
    }
    sum = lanes.sum(sum) / static_cast<float>(features);
    normal_sum = lanes.sum(normal_sum) / static_cast<float>(features);
    for (int i = lanes.index(); i < features; i += lanes.count()) {
      const float normal = (as_float(values[begin + i]) - mean[row]) * inverse;
      const float gradient = scale[i] * as_float(output_gradient[begin + i]);
      contribute(input_gradient[begin + i], inverse * (gradient - sum - normal * normal_sum), adds);
    }
  }
};

/// The terms of the gradients by shift and scale, of a matrix's columns.
template <typename T>
struct LayerNormTerms {
  const T* values;
  const T* output_gradient;
  int features;
  const float* mean;
  const float* inverse_deviation;

  TANDEM_DEVICE Sums operator()(int place, int) const {
    const int row = place / features;
    const float gradient = as_float(output_gradient[place]);
    return {gradient, gradient * (as_float(values[place]) - mean[row]) * inverse_deviation[row]};
  }
};

}  // namespace tandem::cuda
