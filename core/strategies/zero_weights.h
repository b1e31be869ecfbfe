#pragma once

#include "core/strategies/layer_groups.h"
#include "core/training/replica.h"

namespace tandem {

/// Claims of a group the chunks that other ranks own.
void claim_remote(Worker& worker, const Buffer& arena, const LayerGroup& group);
/// Releases those.
void release_remote(Worker& worker, const Buffer& arena, const LayerGroup& group);

/// Draws a replica's weights, those of every stage and rank, one group after the other, so that no
/// more than a group is held beside what is kept: the own chunks of master weights, and of the
/// parameters all, or with `keeps_shard` the own chunks. Those parameters are claimed, where they
/// were not held.
void draw_sharded_weights(Replica& replica, const std::vector<LayerGroup>& groups,
                          bool keeps_shard);

/// Makes gathered_weights from all ranks' shards of the master weights: collective.
void gather_master_weights(Replica& replica, const std::vector<LayerGroup>& groups);

}  // namespace tandem
