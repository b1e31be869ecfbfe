#include "core/strategies/zero_weights.h"

#include <array>

#include "core/collectives/ring.h"
#include "core/comm/elementwise.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

View whole(const Buffer& arena, const LayerGroup& group) {
  return arena.view().slice(group.bucket.offset, group.bucket.elements);
}

View own_master(const Replica& replica, const LayerGroup& group) {
  return replica.optimizer.master().slice(group.shard_offset, group.own.elements);
}

/// Of a group's the chunks that lower ranks own, and those of higher ranks.
std::array<View, 2> remote(const Buffer& arena, const LayerGroup& group) {
  const Bucket& bucket = group.bucket;
  const std::size_t after = group.own.offset + group.own.elements;
  return {arena.view().slice(bucket.offset, group.own.offset - bucket.offset),
          arena.view().slice(after, bucket.offset + bucket.elements - after)};
}

void draw(const Replica& replica, const LayerGroup& group, const Buffer& arena) {
  if (!arena.view().has_data()) return;
  initialize_layers(replica.graph, replica.scenario.seed, group.bucket.last_layer,
                    group.bucket.first_layer, arena.view().floats());
}

}  // namespace

void claim_remote(Worker& worker, const Buffer& arena, const LayerGroup& group) {
  for (const View& chunk : remote(arena, group)) worker.claim(chunk);
}

void release_remote(Worker& worker, const Buffer& arena, const LayerGroup& group) {
  for (const View& chunk : remote(arena, group)) worker.release(chunk);
}

void draw_sharded_weights(Replica& replica, const std::vector<LayerGroup>& groups,
                          bool keeps_shard) {
  const bool is_rounded = replica.scenario.precision.dtype() != DType::kFloat32;
  const Buffer drawn =
      replica.worker.reserve(is_rounded ? replica.graph.parameter_elements() : 0, DType::kFloat32);
  for (const LayerGroup& group : groups) {
    if (keeps_shard) replica.worker.claim(whole(replica.parameters, group));
    if (is_rounded) {
      replica.worker.claim(whole(drawn, group));
      draw(replica, group, drawn);
      convert(whole(replica.parameters, group), whole(drawn, group));
      convert(own_master(replica, group), own_chunk(drawn, group));
      replica.worker.release(whole(drawn, group));
    } else {
      draw(replica, group, replica.parameters);
    }
    if (keeps_shard) release_remote(replica.worker, replica.parameters, group);
  }
}

void gather_master_weights(Replica& replica, const std::vector<LayerGroup>& groups) {
  Worker& worker = replica.worker;
  replica.gathered_weights = worker.allocate(replica.graph.parameter_elements(), DType::kFloat32);
  std::vector<Handle> gathers;
  for (const LayerGroup& group : groups) {
    convert(own_chunk(replica.gathered_weights, group), own_master(replica, group));
    gathers.push_back(worker.start(
        ring_all_gather(worker.group().size, worker.group().rank, group.bucket.elements),
        whole(replica.gathered_weights, group)));
  }
  wait_all(worker, gathers);
}

}  // namespace tandem
