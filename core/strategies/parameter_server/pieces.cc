#include "core/strategies/parameter_server/pieces.h"

#include <algorithm>

#include "core/strategies/gradient_buckets.h"

namespace tandem {

std::vector<Piece> cut_into_pieces(const LayerGraph& graph, const AlgorithmSpec& algorithm) {
  const auto servers = static_cast<std::size_t>(algorithm.server_count);
  const auto shard_begin = [&](std::size_t server) {
    return graph.parameter_elements() * server / servers;
  };
  std::vector<Piece> pieces;
  std::size_t server = servers - 1;  // backward completes the end of the arena first
  for (const Bucket& bucket : gradient_buckets(graph, algorithm.bucket_bytes)) {
    std::size_t end = bucket.offset + bucket.elements;
    while (end > bucket.offset) {
      while (shard_begin(server) >= end) --server;
      const std::size_t begin = std::max(shard_begin(server), bucket.offset);
      pieces.push_back({static_cast<int>(server), begin, end - begin, bucket.last_layer});
      end = begin;
    }
  }
  return pieces;
}

}  // namespace tandem
