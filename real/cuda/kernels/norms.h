#pragma once

#include <cmath>

#include "real/cuda/kernels/elementwise.h"
#include "real/cuda/kernels/sums.h"

namespace tandem::cuda {

// ---- Batch normalisation (Ioffe and Szegedy, ICML 2015). With y = scale x' + shift, x' = (x -
// mean) / deviation over N values of a channel, the gradient by x is
//   scale / deviation (dy - sum(dy) / N - x' sum(dy x') / N).
// Where a rectification follows, its bounds are applied to y at once, and dy is what passes them.

/// By channel, as are all numbers of what follows.
struct Statistics {
  float* mean;
  float* variance;
};

/// y = slope (x - mean) + shift.
struct Line {
  float* mean;
  float* slope;
  float* shift;

  template <int W>
  struct Of {
    Pack<float, W> mean, slope, shift;

    TANDEM_DEVICE float deviation(int i, float x) const { return x - mean[i]; }
    TANDEM_DEVICE float at(int i, float x) const { return slope[i] * deviation(i, x) + shift[i]; }
  };
  template <int W>
  TANDEM_DEVICE Of<W> of(const Channels<W>& channels) const {
    return {channels.load(mean), channels.load(slope), channels.load(shift)};
  }
};

TANDEM_DEVICE inline float inverse_deviation(float variance, float epsilon) {
  return 1 / sqrtf(variance + epsilon);
}

/// The line of a normalisation. One item a channel.
struct DrawLine {
  Line line;
  Statistics statistics;
  float epsilon;
  const float* scale;
  const float* shift;

  TANDEM_DEVICE void operator()(int channel) const {
    const float inverse = inverse_deviation(statistics.variance[channel], epsilon);
    line.mean[channel] = statistics.mean[channel];
    line.slope[channel] = scale[channel] * inverse;
    line.shift[channel] = shift[channel];
  }
};

/// Moves what evaluation goes by towards a batch's statistics. One item a channel.
struct RenewStatistics {
  Statistics batch, running;
  float momentum;
  float unbias;  ///< turns the variance of the batch into its unbiased estimate

  TANDEM_DEVICE void operator()(int channel) const {
    const float mean = batch.mean[channel], variance = unbias * batch.variance[channel];
    running.mean[channel] += momentum * (mean - running.mean[channel]);
    running.variance[channel] += momentum * (variance - running.variance[channel]);
  }
};

/// Group `channel` leaves its statistics, by the parts of Moments (Chan, Golub and LeVeque,
/// "Updating formulae and a pairwise algorithm for computing sample variances", 1979), and does
/// what a batch that `goes` by them needs of each channel.
struct TotalStatistics {
  const Sums* parts;
  Split split;  ///< of a channel's values
  Statistics batch;
  DrawLine draw;
  RenewStatistics renew;
  bool goes;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int channel, Lanes& lanes) const {
    const auto share = [&](int chunk) {
      return static_cast<float>(split.count(chunk)) / static_cast<float>(split.total);
    };
    const int chunks = split.chunks();
    const Sums* of_channel = parts + channel * chunks;
    // From the first part's mean on, for the same reason as there.
    const float origin = of_channel[0].first;
    float mean = 0;
    for (int chunk = lanes.index(); chunk < chunks; chunk += lanes.count()) {
      mean += share(chunk) * (of_channel[chunk].first - origin);
    }
    mean = origin + lanes.sum(mean);
    float within = 0, between = 0;
    for (int chunk = lanes.index(); chunk < chunks; chunk += lanes.count()) {
      const float deviation = of_channel[chunk].first - mean;
      within += of_channel[chunk].second;
      between += share(chunk) * deviation * deviation;
    }
    within = lanes.sum(within);
    between = lanes.sum(between);
    if (lanes.index() != 0) return;
    batch.mean[channel] = mean;
    batch.variance[channel] = within / static_cast<float>(split.total) + between;
    if (!goes) return;
    draw(channel);
    renew(channel);
  }
};

/// One item a stretch of ChannelWalk.
template <typename T, int W>
struct BatchNorm {
  const T* values;
  T* output;
  ChannelWalk<W> walk;
  Line line;
  Bounds bounds;

  TANDEM_DEVICE void operator()(int item) const {
    Pack<T, W> x[ChannelWalk<W>::kTurns];
    walk.each(item, [&](int place, int turn) { x[turn] = Pack<T, W>::at(values + place); });
    const auto lines = line.of(walk.channels(item));
    walk.each(item, [&](int place, int turn) {
      Pack<T, W> y;
      for (int i = 0; i < W; ++i) y.set(i, bounds.clamp(lines.at(i, x[turn][i])));
      Pack<T, W>::at(output + place) = y;
    });
  }
};

/// The same where another tensor is added before the bounds, which may be to be normalised too.
/// What passes them is kept for backward, a byte for W of them, which is an eighth of what those
/// take.
template <typename T, int W, bool kNormalisesAdded>
struct BatchNormSum {
  BatchNorm<T, W> norm;
  const T* added;
  Line added_line;
  std::uint8_t* passed;

  TANDEM_DEVICE void operator()(int item) const {
    Pack<T, W> x[ChannelWalk<W>::kTurns], also[ChannelWalk<W>::kTurns];
    norm.walk.each(item, [&](int place, int turn) {
      x[turn] = Pack<T, W>::at(norm.values + place);
      also[turn] = Pack<T, W>::at(added + place);
    });
    const auto lines = norm.line.of(norm.walk.channels(item));
    Line::Of<W> added_lines;
    if constexpr (kNormalisesAdded) added_lines = added_line.of(norm.walk.channels(item));
    norm.walk.each(item, [&](int place, int turn) {
      Pack<T, W> y;
      unsigned pass = 0;
      for (int i = 0; i < W; ++i) {
        float other = also[turn][i];
        if constexpr (kNormalisesAdded) other = added_lines.at(i, other);
        const float sum = lines.at(i, x[turn][i]) + other;
        y.set(i, norm.bounds.clamp(sum));
        pass |= norm.bounds.pass(sum) ? 1U << i : 0;
      }
      Pack<T, W>::at(norm.output + place) = y;
      passed[place / W] = static_cast<std::uint8_t>(pass);
    });
  }
};

/// The terms sum(dy) and sum(dy (x - mean)).
template <typename T>
struct BatchNormTerms {
  using Number = T;
  const T* values;
  const T* output_gradient;
  Line line;
  Bounds bounds;

  template <int W>
  struct Column {
    const T* values;
    const T* output_gradient;
    Line::Of<W> line;
    Bounds bounds;

    struct Loaded {
      Pack<T, W> x, dy;
    };
    TANDEM_DEVICE Loaded load(int place) const {
      return {Pack<T, W>::at(values + place), Pack<T, W>::at(output_gradient + place)};
    }
    TANDEM_DEVICE void add(const Loaded& loaded, SumsOf<W>& sums) const {
      const auto& [x, dy] = loaded;
      for (int i = 0; i < W; ++i) {
        const float gradient = bounds.pass(line.at(i, x[i])) ? dy[i] : 0;
        sums.add(i, gradient, gradient * line.deviation(i, x[i]));
      }
    }
    TANDEM_DEVICE Sums part(int, const Sums& sums, int) const { return sums; }
  };
  template <int W>
  TANDEM_DEVICE Column<W> column(const Channels<W>& channels, int) const {
    return {values, output_gradient, line.of(channels), bounds};
  }
};

/// The same terms where something was added before the bounds: dy, which is what passes them, is
/// left for all that was.
template <typename T>
struct BatchNormSumTerms {
  using Number = T;
  const T* values;
  const std::uint8_t* passed;
  const T* output_gradient;
  T* sum_gradient;
  const float* mean;

  template <int W>
  struct Column {
    BatchNormSumTerms terms;
    Pack<float, W> mean;

    struct Loaded {
      int place;
      unsigned passed;
      Pack<T, W> x, dy;
    };
    TANDEM_DEVICE Loaded load(int place) const {
      return {place, terms.passed[place / W], Pack<T, W>::at(terms.values + place),
              Pack<T, W>::at(terms.output_gradient + place)};
    }
    TANDEM_DEVICE void add(const Loaded& loaded, SumsOf<W>& sums) const {
      Pack<T, W> gradient = loaded.dy;
      for (int i = 0; i < W; ++i) {
        if ((loaded.passed >> i & 1U) == 0) gradient.numbers[i] = T();
        sums.add(i, gradient[i], gradient[i] * (loaded.x[i] - mean[i]));
      }
      Pack<T, W>::at(terms.sum_gradient + loaded.place) = gradient;
    }
    TANDEM_DEVICE Sums part(int, const Sums& sums, int) const { return sums; }
  };
  template <int W>
  TANDEM_DEVICE Column<W> column(const Channels<W>& channels, int) const {
    return {*this, channels.load(mean)};
  }
};

/// The gradient by x is slope dy + tilt (x - mean) + level.
struct GradientLine {
  float* tilt;
  float* level;
};

/// One item a channel.
struct DrawGradientLine {
  GradientLine line;
  const float* slope;
  const float* variance;
  float epsilon;
  float share;           ///< 1 / N
  float* gradient_sums;  ///< sum(dy) and
  float* normal_sums;    ///< sum(dy x')

  TANDEM_DEVICE void operator()(int channel) const {
    const float factor = -share * slope[channel];
    line.level[channel] = factor * gradient_sums[channel];
    line.tilt[channel] =
        factor * normal_sums[channel] * inverse_deviation(variance[channel], epsilon);
  }
};

/// Group `channel` leaves its sums, by the parts of BatchNormTerms, and the gradients by parameters
/// that they are, times `factor`, and does what a batch that `goes` by them needs of each channel.
struct TotalGradients {
  const Sums* parts;
  int chunks;
  float* shift_gradient;
  float* scale_gradient;
  float factor;
  DrawGradientLine draw;
  bool goes;

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int channel, Lanes& lanes) const {
    const Sums sums = total_of(parts + channel * chunks, chunks, lanes);
    if (lanes.index() != 0) return;
    const float inverse = inverse_deviation(draw.variance[channel], draw.epsilon);
    draw.gradient_sums[channel] = sums.first;
    draw.normal_sums[channel] = inverse * sums.second;
    shift_gradient[channel] = factor * sums.first;
    scale_gradient[channel] = factor * inverse * sums.second;
    if (goes) draw(channel);
  }
};

template <typename T, int W>
struct BatchNormBackward {
  const T* values;
  const T* output_gradient;
  T* input_gradient;
  ChannelWalk<W> walk;
  Line line;
  GradientLine gradient_line;
  Bounds bounds;
  bool adds;

  TANDEM_DEVICE void operator()(int item) const {
    Pack<T, W> x[ChannelWalk<W>::kTurns], dy[ChannelWalk<W>::kTurns];
    walk.each(item, [&](int place, int turn) {
      x[turn] = Pack<T, W>::at(values + place);
      dy[turn] = Pack<T, W>::at(output_gradient + place);
    });
    const auto channels = walk.channels(item);
    const auto lines = line.of(channels);
    const auto tilt = channels.load(gradient_line.tilt), level = channels.load(gradient_line.level);
    walk.each(item, [&](int place, int turn) {
      contribute<W>(input_gradient + place, adds, [&](int i) {
        const float value = x[turn][i];
        const float gradient = bounds.pass(lines.at(i, value)) ? dy[turn][i] : 0;
        return lines.slope[i] * gradient + tilt[i] * lines.deviation(i, value) + level[i];
      });
    });
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
  using Number = T;
  const T* values;
  const T* output_gradient;
  int features;
  const float* mean;
  const float* inverse_deviation;

  template <int W>
  struct Column {
    LayerNormTerms terms;

    struct Loaded {
      Pack<T, W> x, dy;
      float mean, inverse;
    };
    TANDEM_DEVICE Loaded load(int place) const {
      const int row = place / terms.features;
      return {Pack<T, W>::at(terms.values + place), Pack<T, W>::at(terms.output_gradient + place),
              terms.mean[row], terms.inverse_deviation[row]};
    }
    TANDEM_DEVICE void add(const Loaded& loaded, SumsOf<W>& sums) const {
      const auto& [x, dy, mean, inverse] = loaded;
      for (int i = 0; i < W; ++i) sums.add(i, dy[i], dy[i] * (x[i] - mean) * inverse);
    }
    TANDEM_DEVICE Sums part(int, const Sums& sums, int) const { return sums; }
  };
  template <int W>
  TANDEM_DEVICE Column<W> column(const Channels<W>&, int) const {
    return {*this};
  }
};

}  // namespace tandem::cuda
