#pragma once

#include <cstddef>
#include <vector>

#include "core/collectives/schedule.h"
#include "core/comm/buffer.h"
#include "core/scenario/scenario.h"
#include "core/strategies/gradient_buckets.h"

namespace tandem {

/// A bucket of the arenas that is cut into one chunk a rank, as ZeRO shards it: the layers whose
/// parameters are gathered together and whose gradients are reduced together.
struct LayerGroup {
  Bucket bucket;
  Chunk own;                     ///< this rank's chunk, by its place in the arenas
  std::size_t shard_offset = 0;  ///< of `own` among this rank's chunks, laid one after the other
};

/// This rank's part of a group's parameters or gradients.
inline View own_chunk(const Buffer& arena, const LayerGroup& group) {
  return arena.view().slice(group.own.offset, group.own.elements);
}

/// The groups of a model in the order of backward, as `rank` of `ranks` sees them: small layers
/// join one group until it holds `bucket_bytes` of `dtype`.
std::vector<LayerGroup> layer_groups(const LayerGraph& graph, std::size_t bucket_bytes, DType dtype,
                                     int ranks, int rank);
/// Those of the scenario's workers.
std::vector<LayerGroup> layer_groups(const Scenario& scenario, const LayerGraph& graph, int rank);

/// The group that each of the graph's layers has its parameters in; -1 for those that have none.
std::vector<int> groups_by_layer(const LayerGraph& graph, const std::vector<LayerGroup>& groups);

}  // namespace tandem
