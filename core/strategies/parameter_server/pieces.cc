#include "core/strategies/parameter_server/pieces.h"

#include <algorithm>

#include "core/strategies/gradient_buckets.h"

namespace tandem {

namespace {

/// Below which a part would cost more as a message than it hides.
constexpr std::size_t kSmallestPart = 64'000;

/// Appends `piece` in parts of at least `bytes`, from its end to its beginning.
void append(std::vector<Piece>& pieces, const Piece& piece, std::size_t bytes) {
  const std::size_t size = piece.elements * size_of(DType::kFloat32);
  const std::size_t parts =
      bytes == 0 ? 1 : std::max<std::size_t>(size / std::max(bytes, kSmallestPart), 1);
  for (std::size_t part = parts; part-- > 0;) {
    const std::size_t begin = piece.elements * part / parts;
    const std::size_t end = piece.elements * (part + 1) / parts;
    pieces.push_back({piece.server, piece.offset + begin, end - begin, piece.last_layer});
  }
}

}  // namespace

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
      append(pieces, {static_cast<int>(server), begin, end - begin, bucket.last_layer},
             algorithm.bucket_bytes);
      end = begin;
    }
  }
  return pieces;
}

}  // namespace tandem
