#include "core/strategies/gradient_buckets.h"

#include <ranges>

namespace tandem {

std::vector<Bucket> gradient_buckets(const LayerGraph& graph, std::size_t bucket_bytes,
                                     DType dtype) {
  std::vector<Bucket> buckets;
  Bucket open;
  int index = static_cast<int>(graph.layers().size());
  for (const Layer& layer : graph.layers() | std::views::reverse) {
    --index;
    if (layer.parameter_elements == 0) continue;
    if (open.elements == 0) open.first_layer = index;
    open.offset = layer.parameter_offset;
    open.elements += layer.parameter_elements;
    open.last_layer = index;
    if (open.elements * size_of(dtype) >= bucket_bytes) {
      buckets.push_back(open);
      open = {};
    }
  }
  if (open.elements > 0) buckets.push_back(open);
  return buckets;
}

}  // namespace tandem
