#pragma once

#include "core/training/network.h"

namespace tandem {

/// The CPU device: makes networks whose layers are computed by oneDNN with `threads` threads, in
/// the layouts that oneDNN chooses, and the loss by Eigen. Their `parameters` and `gradients` are
/// host views of graph.parameter_elements() float32 each and must outlive them; `graph` need not.
/// Requires threads >= 1.
///
/// Running statistics of batch norms live in the network: each kTraining pass renews them (the
/// variance unbiased, as in PyTorch), a kEvaluation pass reads them. Dropout does nothing in
/// kEvaluation.
///
/// The factory throws InputError where the graph, but for a stage of one, doesn't end in a loss, or
/// nothing reads a layer before its last; RunError, naming the layer, where oneDNN refuses or
/// fails.
NetworkFactory cpu_network(int threads);

}  // namespace tandem
