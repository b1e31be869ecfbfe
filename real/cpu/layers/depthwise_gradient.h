#pragma once

#include "core/model/layer.h"

namespace tandem {

/// Gradient by the weights of a depthwise convolution, {channels, 1, kernel height, kernel width},
/// for where oneDNN has nothing but one product of matrices a channel, as on the smallest images:
/// there it takes longer than the rest of the layer together. `source` and `output_gradient` are
/// blocked by 16 channels (nChw16c). Sums are formed in one order, whatever the threads.
struct DepthwiseGradient {
  int batch, channels;
  Shape source, output;
  LayerOptions window;

  void operator()(const float* source_values, const float* output_gradient,
                  float* weight_gradient) const;
};

}  // namespace tandem
