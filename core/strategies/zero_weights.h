#pragma once

#include "core/strategies/layer_groups.h"
#include "core/training/replica.h"

namespace tandem {

/// Calls visit(view) for the chunks of a group that lower ranks own, and for those of higher ranks.
template <typename Visit>
void visit_remote(const Buffer& arena, const LayerGroup& group, const Visit& visit) {
  const Bucket& bucket = group.bucket;
  const std::size_t after = group.own.offset + group.own.elements;
  visit(arena.view().slice(bucket.offset, group.own.offset - bucket.offset));
  visit(arena.view().slice(after, bucket.offset + bucket.elements - after));
}

/// Draws a replica's weights, those of every stage and rank, one group after the other, so that no
/// more than a group is held beside what is kept: the own chunks of master weights, and of the
/// parameters all, or with `keeps_shard` the own chunks. Those parameters are claimed, where they
/// were not held.
void draw_sharded_weights(Replica& replica, const std::vector<LayerGroup>& groups,
                          bool keeps_shard);

/// Makes gathered_weights from all ranks' shards of the master weights: collective.
void gather_master_weights(Replica& replica, const std::vector<LayerGroup>& groups);

}  // namespace tandem
