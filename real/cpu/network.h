#pragma once

#include <memory>

#include "core/training/network.h"

namespace tandem {

/// The CPU device: a network whose layers are computed by oneDNN, in the layouts that oneDNN
/// chooses, and the loss by Eigen. `parameters` and `gradients` are host views of
/// graph.parameter_elements() float32 each and must outlive it; `graph` need not. It uses as many
/// threads as set_compute_threads() said last on the thread that makes it.
///
/// Running statistics of batch norms live in the network: each kTraining pass renews them (the
/// variance unbiased, as in PyTorch), a kEvaluation pass reads them. Dropout does nothing in
/// kEvaluation.
///
/// Throws InputError where the graph doesn't end in a loss, or nothing reads a layer before it;
/// RunError, naming the layer, where oneDNN refuses or fails.
std::unique_ptr<Network> make_cpu_network(const LayerGraph& graph, int batch_size, View parameters,
                                          View gradients);

/// Threads that networks made later by the calling thread compute with; 1 until it is called.
/// Requires threads >= 1.
void set_compute_threads(int threads);

}  // namespace tandem
