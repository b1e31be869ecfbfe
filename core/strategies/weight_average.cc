#include "core/strategies/weight_average.h"

#include "core/comm/elementwise.h"
#include "core/strategies/all_reduce_use.h"

namespace tandem {
namespace {

/// Does `body` to `weights` and charges for `flops` an element and so many arrays read or written.
void compute(Worker& worker, std::string_view name, View weights, double flops, double arrays,
             const std::function<void()>& body) {
  Handle done = worker.compute({.phase = Phase::kReduce,
                                .name = name,
                                .flops = flops * static_cast<double>(weights.elements),
                                .bytes = arrays * static_cast<double>(weights.bytes()),
                                .body = weights.has_data() ? body : nullptr});
  worker.wait(done);
}

}  // namespace

void average_over_workers(Replica& replica, View weights) {
  const Group& group = replica.worker.group();
  const ScheduleFactory make_schedule =
      all_reduce_use(replica.scenario, weights.elements, weights.dtype).factory;
  Handle sum =
      replica.worker.start(make_schedule(group.size, group.rank, weights.elements), weights);
  replica.worker.wait(sum);
  scale_weights(replica.worker, weights, 1.0F / static_cast<float>(group.size));
}

std::vector<CollectiveUse> weight_average_collectives(const Scenario& scenario,
                                                      const LayerGraph& graph) {
  return {all_reduce_use(scenario, graph.parameter_elements())};
}

void average_with(Worker& worker, View mine, View theirs) {
  compute(worker, "average weights", mine, 2, 3, [=] {
    add(mine, theirs);
    convert(mine, mine, 0.5F);
  });
}

void copy_weights(Worker& worker, View to, View from) {
  compute(worker, "copy weights", to, 0, 2, [=] { convert(to, from); });
}

void add_weights(Worker& worker, View to, View from) {
  compute(worker, "add weights", to, 1, 3, [=] { add(to, from); });
}

void scale_weights(Worker& worker, View weights, float factor) {
  compute(worker, "scale weights", weights, 1, 2, [=] { convert(weights, weights, factor); });
}

}  // namespace tandem
