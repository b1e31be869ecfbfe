#pragma once

#include <cstddef>
#include <vector>

#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// What one message between a worker and a server carries: a part of a bucket, in one shard.
struct Piece {
  int server = 0;  ///< index, from 0
  std::size_t offset = 0;
  std::size_t elements = 0;
  int last_layer = 0;  ///< the layer whose backward() completes it
};

/// Cuts the model's arena into one contiguous shard a server, equal to within an element, as the
/// key ranges of Li et al. (OSDI 2014, section 4.1), the gradient buckets where shards meet, and
/// what still is twice as large as a bucket has to be into equal parts, so that a large layer does
/// not keep the others waiting (Jayarajan et al., MLSys 2019, section 4.1). In the order in which
/// backward completes them; they cover the arena.
std::vector<Piece> cut_into_pieces(const LayerGraph& graph, const AlgorithmSpec& algorithm);

/// The part of an arena of the whole model that a piece stands for.
inline View slice(const Buffer& arena, const Piece& piece) {
  return arena.view().slice(piece.offset, piece.elements);
}

// Piece `index` of cut_into_pieces() travels under tags of its own.
constexpr Tag pull_tag(std::size_t index) {
  return static_cast<Tag>(2 * index + 1);
}
/// The piece of a pull_tag().
constexpr std::size_t pulled_piece(Tag tag) {
  return static_cast<std::size_t>(tag - pull_tag(0)) / 2;
}
constexpr Tag push_tag(std::size_t index) {
  return static_cast<Tag>(2 * index + 2);
}
/// A message without contents: the worker asks for all pieces of a server.
inline constexpr Tag kAskTag = 0;

}  // namespace tandem
