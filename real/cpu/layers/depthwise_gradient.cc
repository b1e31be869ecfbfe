#include "real/cpu/layers/depthwise_gradient.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr int kLanes = 16;  // channels

/// Positions of the output, [first, last), that a window's element at `offset` reaches from within
/// the input.
struct Reach {
  Reach(int offset, int stride, int padding, int inputs, int outputs)
      : first(std::max(0, (padding - offset + stride - 1) / stride)),
        last(std::min(outputs, (inputs - 1 + padding - offset + stride) / stride)) {}

  int first, last;
};

}  // namespace

void DepthwiseGradient::operator()(const float* source_values, const float* output_gradient,
                                   float* weight_gradient) const {
  const LayerOptions& o = window;
  const int blocks = (channels + kLanes - 1) / kLanes;
  const int kernel = o.kernel_height * o.kernel_width;
#pragma omp parallel for
  for (int task = 0; task < blocks * kernel; ++task) {
    const int block = task / kernel;
    const int row = task % kernel / o.kernel_width, column = task % kernel % o.kernel_width;
    const Reach rows(row, o.stride_height, o.padding_height, source.height, output.height);
    const Reach columns(column, o.stride_width, o.padding_width, source.width, output.width);
    float sums[kLanes] = {};
    for (int sample = 0; sample < batch; ++sample) {
      const int image = sample * blocks + block;
      for (int y = rows.first; y < rows.last; ++y) {
        const int from = (image * source.height + y * o.stride_height - o.padding_height + row);
        for (int x = columns.first; x < columns.last; ++x) {
          const std::size_t out = (std::size_t(image) * output.height + y) * output.width + x;
          const std::size_t in =
              std::size_t(from) * source.width + x * o.stride_width - o.padding_width + column;
          for (int lane = 0; lane < kLanes; ++lane) {
            sums[lane] += output_gradient[out * kLanes + lane] * source_values[in * kLanes + lane];
          }
        }
      }
    }
    for (int lane = 0; lane < std::min(kLanes, channels - block * kLanes); ++lane) {
      weight_gradient[(block * kLanes + lane) * kernel + row * o.kernel_width + column] =
          sums[lane];
    }
  }
}

}  // namespace tandem
