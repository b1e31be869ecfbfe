#include "core/strategies/layer_groups.h"

namespace tandem {

std::vector<LayerGroup> layer_groups(const LayerGraph& graph, std::size_t bucket_bytes, DType dtype,
                                     int ranks, int rank) {
  std::vector<LayerGroup> groups;
  std::size_t shard_offset = 0;
  for (const Bucket& bucket : gradient_buckets(graph, bucket_bytes, dtype)) {
    Chunk own = chunk(bucket.elements, ranks, rank);
    own.offset += bucket.offset;
    groups.push_back({bucket, own, shard_offset});
    shard_offset += own.elements;
  }
  return groups;
}

std::vector<LayerGroup> layer_groups(const Scenario& scenario, const LayerGraph& graph, int rank) {
  return layer_groups(graph, scenario.algorithm.bucket_bytes, scenario.precision.dtype(),
                      scenario.workers, rank);
}

std::vector<int> groups_by_layer(const LayerGraph& graph, const std::vector<LayerGroup>& groups) {
  std::vector<int> by_layer(graph.layers().size(), -1);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const Bucket& bucket = groups[group].bucket;
    for (int layer = bucket.last_layer; layer <= bucket.first_layer; ++layer) {
      if (graph.layers()[layer].parameter_elements > 0) by_layer[layer] = static_cast<int>(group);
    }
  }
  return by_layer;
}

}  // namespace tandem
