#pragma once

#include "core/comm/buffer.h"
#include "core/scenario/scenario.h"
#include "core/training/network.h"

namespace tandem {

/// The CPU device: makes networks whose layers are computed by oneDNN with `threads` threads, in
/// the layouts that oneDNN chooses, and the loss by Eigen. Their `parameters` and `gradients` are
/// host views of graph.parameter_elements() float32 each and must outlive them; `graph` need not.
/// Requires threads >= 1.
///
/// The factors of convolutions' and linear layers' products are rounded to `factors`, kFloat32 or
/// kBFloat16, and added in float32, as in Kalamkar et al., "A Study of BFLOAT16 for Deep Learning
/// Training" (2019); so are gradients that biases' are summed from. Depthwise convolutions, thin
/// products, what oneDNN has only general code for and all other layers stay float32.
///
/// Running statistics of batch norms live in the network: each kTraining pass renews them (the
/// variance unbiased, as in PyTorch), a kEvaluation pass reads them. Dropout does nothing in
/// kEvaluation.
///
/// The factory throws InputError where the graph, but for a stage of one, doesn't end in a loss, or
/// nothing reads a layer before its last; RunError, naming the layer, where oneDNN refuses or
/// fails.
NetworkFactory cpu_network(int threads, DType factors = DType::kFloat32);

/// kBFloat16 for a scenario's `bf16` where the processor multiplies such numbers, else kFloat32.
DType factors_of_products(const PrecisionSpec& precision);

}  // namespace tandem
