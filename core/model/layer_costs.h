#pragma once

#include <span>

#include "core/model/layer.h"

namespace tandem {

/// Scores that attention gives positions for positions, of one sample: heads times positions
/// squared, those that causality masks among them; 0 for every other kind.
double attention_scores(const Layer& layer);

/// Multiply-adds of a convolution's, linear or attention layer's forward pass for one sample; 0 for
/// every other kind. Requires its output and parameters to be known.
double multiply_adds(const Layer& layer);

/// Fills in the FLOPs and bytes of `layer` from its kind, output, parameters and `inputs`, the
/// layers that it reads. Biases and what a fused kernel does on the way are not counted.
void infer_costs(Layer& layer, std::span<const Layer* const> inputs);

}  // namespace tandem
