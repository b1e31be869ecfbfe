#pragma once

#include "core/model/layer_graph.h"

namespace tandem {

/// Whether a network's activations lie with channels last, rather than in oneDNN's blocks of 16
/// channels: where the blocks would be filled up with too many zeros, which are computed and stored
/// like the rest.
bool channels_go_last(const LayerGraph& graph);

}  // namespace tandem
