#pragma once

#include <memory>

#include "real/cuda/engine.h"

namespace tandem::cuda {

/// Whether a convolution is one of few channels by 5x5 kernels without strides, on plain float32.
bool is_direct(const ConvolutionShape& shape);

/// Such a one by kernels of our own, of `engine`, which must outlive it: cuDNN's form products of
/// matrices of which most would be padding (docs/gpus.md).
std::shared_ptr<Convolution> direct_convolution(Engine& engine, const ConvolutionShape& shape);

}  // namespace tandem::cuda
