#pragma once

#include <vector>

#include "core/strategies/parameter_server/pieces.h"

namespace tandem {

/// What one server holds: its contiguous part of the model's weights. Pieces are counted from 0
/// within the shard, in the order in which backward completes them.
class ParameterShard {
 public:
  /// Initial weights are the scenario's. All must outlive it.
  ParameterShard(const Scenario& scenario, const LayerGraph& graph, Worker& worker);

  Worker& worker() const { return worker_; }
  int pieces() const { return static_cast<int>(pieces_.size()); }
  std::size_t elements(int piece) const { return pieces_[piece].elements; }
  Tag pull_tag(int piece) const { return tandem::pull_tag(pieces_[piece].index); }
  Tag push_tag(int piece) const { return tandem::push_tag(pieces_[piece].index); }

  /// Memory for one value a weight of the shard.
  Buffer allocate() const { return worker_.allocate(elements_, DType::kFloat32); }
  /// The part of such memory that belongs to a piece.
  View slice(const Buffer& buffer, int piece) const {
    return buffer.view().slice(pieces_[piece].begin, pieces_[piece].elements);
  }
  View weights(int piece) const { return slice(weights_, piece); }

  /// Counts the message that has just come, or gone, as part of the worker's `iteration`: a server
  /// has none of its own, and may be ahead of it or behind.
  void count_sent(int worker, int piece, int iteration) const;
  void count_received(int worker, int piece, int iteration) const;

  /// Where a piece is in the model's arena.
  Chunk place(int piece) const { return {begin_ + pieces_[piece].begin, pieces_[piece].elements}; }

  /// Leaves the shard without its weights.
  Buffer take_weights() { return std::move(weights_); }

 private:
  struct Held {
    std::size_t index;  ///< among all pieces of the model
    std::size_t begin;  ///< within the shard
    std::size_t elements;
  };

  void initialize(const Scenario& scenario, const LayerGraph& graph);

  Worker& worker_;
  std::size_t begin_ = 0;  ///< within the model's arena
  std::size_t elements_ = 0;
  std::vector<Held> pieces_;
  Buffer weights_;
};

}  // namespace tandem
