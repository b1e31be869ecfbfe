#include "core/strategies/zero_step.h"

#include "core/collectives/ring.h"

namespace tandem {
namespace {

void add_up(Worker& worker, const View& sums) {
  const Group& group = worker.group();
  Handle added = worker.start(ring_all_reduce(group.size, group.rank, sums.elements), sums);
  worker.wait(added);
}

}  // namespace

bool admit_sharded_step(Replica& replica, const std::vector<LayerGroup>& groups, float average) {
  if (replica.gradient_scale.needs_norm()) {
    GradientNorm& norm = replica.gradient_norm;
    norm.clear();
    for (const LayerGroup& group : groups) norm.measure(own_chunk(replica.gradients, group));
    add_up(replica.worker, norm.sums());
    if (!replica.admit_measured_step(average)) return false;
  }
  if (replica.optimizer.is_layer_wise()) {
    for (const LayerGroup& group : groups) {
      replica.optimizer.measure(replica.worker, own_chunk(replica.parameters, group),
                                own_chunk(replica.gradients, group), group.shard_offset,
                                replica.gradient_scale.factor(average));
    }
    add_up(replica.worker, replica.optimizer.lengths());
  }
  return true;
}

}  // namespace tandem
