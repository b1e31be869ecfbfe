#pragma once

#include <cstddef>
#include <vector>

#include "core/comm/buffer.h"
#include "core/model/layer_graph.h"

namespace tandem {

/// A contiguous slice of the gradient arena that is communicated together: as one collective, or
/// to servers, in pieces.
struct Bucket {
  std::size_t offset = 0;
  std::size_t elements = 0;
  int first_layer = 0;  ///< the layer with parameters whose backward() begins it
  int last_layer = 0;   ///< the layer whose backward() completes it
};

/// Cuts a model's arena into buckets in the order in which backward completes them: layers join
/// from the last to the first, and a bucket closes once it holds at least `bucket_bytes` (Li et
/// al., "PyTorch Distributed", VLDB 2020, section 3.2.2). With 0 every layer that has parameters is
/// a bucket of its own. The buckets cover the arena, whose elements are of `dtype`.
std::vector<Bucket> gradient_buckets(const LayerGraph& graph, std::size_t bucket_bytes,
                                     DType dtype = DType::kFloat32);

}  // namespace tandem
