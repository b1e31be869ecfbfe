#pragma once

#include "real/cuda/engine.h"

namespace tandem::cuda {

/// Whether a convolution mixes the channels of each pixel by itself, on plain float32.
bool is_pointwise(const ConvolutionShape& shape);

/// Such a one by products of matrices, a sample's {channels, pixels} each, of `engine`, which must
/// outlive it: cuDNN is slow at those without tensor cores, above all backward (docs/gpus.md).
std::shared_ptr<Convolution> pointwise_convolution(Engine& engine, const ConvolutionShape& shape);

}  // namespace tandem::cuda
