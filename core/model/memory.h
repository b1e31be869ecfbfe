#pragma once

#include "core/model/layer_graph.h"

namespace tandem {

/// Bytes that a worker holds at its peak, by what they are for.
struct MemoryUse {
  double parameters = 0;  ///< these three are what ZeRO calls model states
  double gradients = 0;
  double optimizer_state = 0;  ///< fp32 master weights of 16-bit parameters included
  double working = 0;          ///< other ranks' chunks that ZeRO has in use; what a pipeline's
                               ///< stages hand on; one pass's gradients where they are accumulated;
                               ///< the norm's sums
  double activations = 0;      ///< and the gradients by them
  double buffers = 0;          ///< what a collective receives and has still to add

  double model_states() const { return parameters + gradients + optimizer_state; }
  double total() const { return model_states() + working + activations + buffers; }
};

/// Bytes of each model state a parameter.
struct StateBytes {
  double parameter = 4;
  double gradient = 4;
  double optimizer = 0;
};

/// 16-bit parameters and gradients; fp32 master weights, momentum and variance (Rajbhandari et al.,
/// "ZeRO", SC20, section 3.1).
inline constexpr StateBytes kMixedPrecisionAdam{2, 2, 12};

/// Model states of a worker where ZeRO's stage shards them evenly over `workers`: optimizer state
/// from stage 1 on, gradients from 2 on, parameters from 3 on (the paper's figure 1 and table 1).
MemoryUse zero_model_states(double parameters, const StateBytes& bytes, int stage, int workers);

/// Bytes of a batch's activations in float32: the outputs that backward reads, where ReLU, dropout
/// and flatten take the place of their input if no one else reads that, the scores of attention,
/// and the most gradients by outputs that backward has at once. What a device needs besides for its
/// layouts is not counted. With `batches` in flight outputs are kept of each, gradients are of one.
double activation_bytes(const LayerGraph& graph, int batch_size, int batches = 1);

}  // namespace tandem
