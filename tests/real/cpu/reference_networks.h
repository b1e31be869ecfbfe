#pragma once

#include "core/model/layer_graph.h"

namespace tandem {

/// A small net with what mnist_cnn lacks: residual addition, concatenation of odd channel counts,
/// depthwise and grouped convolutions, batch norms and every pool. make_reference.py builds the
/// same with torch.
LayerGraph mixed_network();

}  // namespace tandem
