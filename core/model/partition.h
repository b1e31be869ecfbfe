#pragma once

#include <vector>

#include "core/model/layer_graph.h"

namespace tandem {

/// Layers [first, last] of a model.
struct LayerRange {
  int first = 0;
  int last = 0;
};

/// Cuts a model, its input left out, into `stages` consecutive ranges of layers for a pipeline,
/// such that the largest cost of a range is as small as it can be; of those cuts the one over which
/// the fewest elements go. The cost of a layer is the FLOPs of its forward and backward for a
/// sample.
///
/// A model is only cut behind a layer whose output alone is read beyond it, so between the blocks
/// of a residual network, and not before its first parameters: one tensor goes forward, and its
/// gradient back. Throws InputError where there are too few such places.
std::vector<LayerRange> partition(const LayerGraph& graph, int stages);

/// FLOPs of forward and backward of those layers, for a sample.
double cost_of(const LayerGraph& graph, const LayerRange& range);

}  // namespace tandem
