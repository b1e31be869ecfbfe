#include "core/strategies/weight_average.h"

#include "core/comm/compute_over.h"
#include "core/comm/elementwise.h"
#include "core/strategies/all_reduce_use.h"

namespace tandem {
void average_over_workers(Replica& replica, View weights) {
  Worker& worker = replica.worker;
  Handle sum = start_collective(
      worker, all_reduce_use(replica.scenario, weights.elements, weights.dtype), weights);
  worker.wait(sum);
  scale_weights(worker, weights, 1.0F / static_cast<float>(worker.group().size));
}

std::vector<CollectiveUse> weight_average_collectives(const Scenario& scenario,
                                                      const LayerGraph& graph) {
  return {all_reduce_use(scenario, graph.parameter_elements())};
}

void average_with(Worker& worker, View mine, View theirs) {
  compute_over(worker, "average weights", mine, 3, [=] {
    add(mine, theirs);
    convert(mine, mine, 0.5F);
  });
}

void copy_weights(Worker& worker, View to, View from) {
  compute_over(worker, "copy weights", to, 2, [=] { convert(to, from); });
}

void add_weights(Worker& worker, View to, View from) {
  compute_over(worker, "add weights", to, 3, [=] { add(to, from); });
}

void scale_weights(Worker& worker, View weights, float factor) {
  compute_over(worker, "scale weights", weights, 2, [=] { convert(weights, weights, factor); });
}

}  // namespace tandem
