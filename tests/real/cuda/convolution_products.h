#pragma once

#include "real/cuda/engine.h"

namespace tandem::cuda {

/// Calls `body` with the places of input, weight and output of every product of the convolution.
template <typename Body>
void for_each_product(const ConvolutionShape& shape, const Body& body) {
  const Geometry weights = shape.weights();
  const int outputs_each = shape.output.channels / shape.groups;
  for (int i = 0; i < shape.output.elements(); ++i) {
    const Position out = shape.output.position(i);
    for (int j = 0; j < weights.channels * weights.space(); ++j) {
      const int channel = j / weights.space();
      const int ky = j % weights.space() / weights.width, kx = j % weights.width;
      const int y = out.y * shape.stride_height - shape.padding_height + ky;
      const int x = out.x * shape.stride_width - shape.padding_width + kx;
      if (y < 0 || x < 0 || y >= shape.input.height || x >= shape.input.width) continue;
      const int group = out.channel / outputs_each;
      body(shape.input.place({out.sample, group * weights.channels + channel, y, x}),
           weights.place({out.channel, channel, ky, kx}), i);
    }
  }
}

}  // namespace tandem::cuda
