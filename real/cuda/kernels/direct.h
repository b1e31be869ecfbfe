#pragma once

#include "real/cuda/kernels/geometry.h"
#include "real/cuda/kernels/sums.h"

namespace tandem::cuda {

// Convolutions of few channels with square kernels, of stride 1 and the plain layout, by their
// definition. What a thread has loaded serves several rows and several channels. The order of
// additions is fixed.

/// Pixels of a plane with zeros around: of a few columns, from `x` on.
struct PixelColumns {
  const float* plane;
  int height, width, x;

  TANDEM_DEVICE float at(int y, int column) const {
    const bool is_in = static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
                       static_cast<unsigned>(x + column) < static_cast<unsigned>(width);
    return is_in ? plane[y * width + x + column] : 0;
  }
};

/// to = from convolved with the weights, or adds that. The gradient by the input is one too, from
/// the gradient by the output, where it is `kTransposed`: with each kernel from its end and what it
/// reads and writes exchanged. One item kRows pixels below each other of kOutputs channels.
template <int kSide, bool kTransposed>
struct ConvolveDirectly {
  static constexpr int kRows = 4, kOutputs = 2;

  const float* from;
  const float* weights;
  float* to;
  Geometry of_from, of_to;
  int padding_height, padding_width;
  bool adds;

  TANDEM_DEVICE int strips_down() const { return (of_to.height - 1) / kRows + 1; }
  TANDEM_DEVICE int bands() const { return (of_to.channels - 1) / kOutputs + 1; }
  int items() const { return of_to.batch * bands() * strips_down() * of_to.width; }

  TANDEM_DEVICE void operator()(int item) const {
    const int x = item % of_to.width, strip = item / of_to.width;
    const int y = strip % strips_down() * kRows, band = strip / strips_down();
    const int output = band % bands() * kOutputs, sample = band / bands();
    float sums[kOutputs][kRows] = {};
    TANDEM_ROLL
    for (int input = 0; input < of_from.channels; ++input) {
      const PixelColumns pixels{from + of_from.place({sample, input, 0, 0}), of_from.height,
                                of_from.width, x - padding_width};
      const float* kernels[kOutputs];
      TANDEM_UNROLL
      for (int o = 0; o < kOutputs; ++o) kernels[o] = kernel(output + o, input);
      add(pixels, y - padding_height, kernels, sums);
    }
    TANDEM_UNROLL
    for (int o = 0; o < kOutputs; ++o) {
      TANDEM_UNROLL
      for (int r = 0; r < kRows; ++r) {
        if (output + o >= of_to.channels || y + r >= of_to.height) continue;
        contribute(to[of_to.place({sample, output + o, y + r, x})], sums[o][r], adds);
      }
    }
  }

 private:
  /// Between two channels. One past the last output is computed as if it were that, and left out
  /// when sums are written.
  TANDEM_DEVICE const float* kernel(int output, int input) const {
    const int there = output < of_to.channels ? output : of_to.channels - 1;
    const int index =
        kTransposed ? input * of_to.channels + there : there * of_from.channels + input;
    return weights + index * (kSide * kSide);
  }

  TANDEM_DEVICE static void add(const PixelColumns& pixels, int y,
                                const float* const (&kernels)[kOutputs],
                                float (&sums)[kOutputs][kRows]) {
    TANDEM_UNROLL
    for (int column = 0; column < kSide; ++column) {
      float window[kRows + kSide - 1];
      TANDEM_UNROLL
      for (int r = 0; r < kRows + kSide - 1; ++r) window[r] = pixels.at(y + r, column);
      TANDEM_UNROLL
      for (int o = 0; o < kOutputs; ++o) {
        TANDEM_UNROLL
        for (int row = 0; row < kSide; ++row) {
          const int place = row * kSide + column;
          const float weight = kernels[o][kTransposed ? kSide * kSide - 1 - place : place];
          TANDEM_UNROLL
          for (int r = 0; r < kRows; ++r) sums[o][r] += weight * window[r + row];
        }
      }
    }
  }
};

/// A part of the gradient by the weights, of a chunk of the output's strips of kRows pixels below
/// each other. Group (chunk * bands() + band) * inputs + input leaves that of the kernels between
/// that input and kOutputs outputs.
template <int kSide>
struct DirectWeightGradient {
  static constexpr int kRows = 4, kOutputs = 2;

  const float* input;
  const float* output_gradient;
  Geometry of_input, of_output;
  int padding_height, padding_width;
  Split strips{};          ///< of all_strips()
  float* parts = nullptr;  ///< as many arrays of weights as `strips` has chunks

  TANDEM_DEVICE int strips_down() const { return (of_output.height - 1) / kRows + 1; }
  int all_strips() const { return of_output.batch * strips_down() * of_output.width; }
  TANDEM_DEVICE int bands() const { return (of_output.channels - 1) / kOutputs + 1; }
  /// Of an input and a band of outputs.
  int pairs() const { return bands() * of_input.channels; }
  int groups() const { return strips.chunks() * pairs(); }

  template <typename Lanes>
  TANDEM_DEVICE void operator()(int group, Lanes& lanes) const {
    const int channel = group % of_input.channels, of_channel = group / of_input.channels;
    const int output = of_channel % bands() * kOutputs, chunk = of_channel / bands();
    float sums[kOutputs][kSide * kSide] = {};
    for (int i = lanes.index(); i < strips.count(chunk); i += lanes.count()) {
      const int strip = strips.begin(chunk) + i, row = strip / of_output.width;
      add({row / strips_down(), output, row % strips_down() * kRows, strip % of_output.width},
          channel, sums);
    }
    TANDEM_UNROLL
    for (int o = 0; o < kOutputs; ++o) {
      lanes.sum_columns(sums[o], 1);
      if (lanes.index() != 0 || output + o >= of_output.channels) continue;
      const int kernel = (chunk * of_output.channels + output + o) * of_input.channels + channel;
      for (int i = 0; i < kSide * kSide; ++i) parts[kernel * (kSide * kSide) + i] = sums[o][i];
    }
  }

 private:
  /// What a strip from `begin` on, in each of the outputs, contributes.
  TANDEM_DEVICE void add(const Position& begin, int channel,
                         float (&sums)[kOutputs][kSide * kSide]) const {
    const PixelColumns pixels{input + of_input.place({begin.sample, channel, 0, 0}),
                              of_input.height, of_input.width, begin.x - padding_width};
    float gradients[kOutputs][kRows];
    TANDEM_UNROLL
    for (int o = 0; o < kOutputs; ++o) {
      TANDEM_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const Position at{begin.sample, begin.channel + o, begin.y + r, begin.x};
        const bool is_in = at.channel < of_output.channels && at.y < of_output.height;
        gradients[o][r] = is_in ? output_gradient[of_output.place(at)] : 0;
      }
    }
    TANDEM_UNROLL
    for (int column = 0; column < kSide; ++column) {
      float window[kRows + kSide - 1];
      TANDEM_UNROLL
      for (int r = 0; r < kRows + kSide - 1; ++r)
        window[r] = pixels.at(begin.y - padding_height + r, column);
      TANDEM_UNROLL
      for (int o = 0; o < kOutputs; ++o) {
        TANDEM_UNROLL
        for (int row = 0; row < kSide; ++row) {
          TANDEM_UNROLL
          for (int r = 0; r < kRows; ++r)
            sums[o][row * kSide + column] += gradients[o][r] * window[r + row];
        }
      }
    }
  }
};

}  // namespace tandem::cuda
