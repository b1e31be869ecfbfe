#include "core/strategies/sgp.h"

#include <bit>

namespace tandem {
namespace {

constexpr Tag kBiasedWeights = 0;
constexpr Tag kPushSumWeight = 1;

// What a worker pushes of x and w, and what it keeps.
constexpr float kShare = 0.5F;

// How far on the peer of this iteration is. Requires at least two workers.
int hop(int workers, int iteration) {
  const int hops = std::bit_width(static_cast<unsigned>(workers - 1));
  return 1 << (iteration % hops);
}

// 1 in a run that models sizes, where nobody multiplies by it.
float number(const Buffer& buffer) {
  return buffer.view().has_data() ? buffer.view().floats()[0] : 1.0F;
}

}  // namespace

StochasticGradientPush::StochasticGradientPush(Replica& replica)
    : replica_(replica),
      received_(replica.worker.allocate(replica.graph.parameter_elements(), DType::kFloat32)),
      push_sum_weight_(replica.worker.allocate(1, DType::kFloat32)),
      received_weight_(replica.worker.allocate(1, DType::kFloat32)) {
  if (push_sum_weight_.view().has_data()) push_sum_weight_.view().floats()[0] = 1;
}

void StochasticGradientPush::end_iteration() {
  const Group& group = replica_.worker.group();
  const View weights = replica_.parameters.view();
  scale_weights(replica_.worker, weights, number(push_sum_weight_));  // x = w z
  replica_.step_alone();
  if (group.size > 1) {
    const int distance = hop(group.size, iteration_++);
    push((group.rank + distance) % group.size, (group.rank + group.size - distance) % group.size);
  }
  scale_weights(replica_.worker, weights, 1.0F / number(push_sum_weight_));  // z = x / w
}

void StochasticGradientPush::push(int to, int from) {
  Worker& worker = replica_.worker;
  const View x = replica_.parameters.view();
  const View w = push_sum_weight_.view();
  scale_weights(worker, x, kShare);
  scale_weights(worker, w, kShare);
  Handle handles[] = {worker.send(to, kBiasedWeights, x), worker.send(to, kPushSumWeight, w),
                      worker.receive(from, kBiasedWeights, received_.view()),
                      worker.receive(from, kPushSumWeight, received_weight_.view())};
  wait_all(worker, handles);
  add_weights(worker, x, received_.view());
  add_weights(worker, w, received_weight_.view());
}

void StochasticGradientPush::finish() {
  const View weights = replica_.parameters.view();
  scale_weights(replica_.worker, weights, number(push_sum_weight_));
  average_over_workers(replica_, weights);
}

void StochasticGradientPush::visit_state(StateVisitor& visitor) {
  replica_.visit_state(visitor, Holder::kOwn);
  visit_own(visitor, "push_sum_weight", push_sum_weight_.view());
  visit_value(visitor, "sgp.iteration", iteration_);
}

}  // namespace tandem
