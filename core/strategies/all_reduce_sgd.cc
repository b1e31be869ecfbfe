#include "core/strategies/all_reduce_sgd.h"

#include <set>

namespace tandem {
namespace {

std::vector<Bucket> buckets_of(const Scenario& scenario, const LayerGraph& graph) {
  return gradient_buckets(graph, scenario.algorithm.bucket_bytes, scenario.precision.dtype());
}

}  // namespace

AllReduceSgd::AllReduceSgd(Replica& replica)
    : replica_(replica),
      buckets_(buckets_of(replica.scenario, replica.graph)),
      exchange_(make_gradient_exchange(replica, buckets_)) {}

std::vector<CollectiveUse> AllReduceSgd::collectives(const Scenario& scenario,
                                                     const LayerGraph& graph) {
  std::set<std::size_t> sizes;
  std::vector<CollectiveUse> uses;
  for (const Bucket& bucket : buckets_of(scenario, graph)) {
    for (CollectiveUse& use : exchange_collectives(scenario, graph, bucket)) {
      if (sizes.insert(use.elements).second) uses.push_back(std::move(use));
    }
  }
  return uses;
}

void AllReduceSgd::gradient_ready(int layer) {
  if (!replica_.scenario.algorithm.overlap) return;
  while (started_ < buckets_.size() && buckets_[started_].last_layer >= layer) {
    exchange_->start(started_++);
  }
}

// Weights are updated bucket by bucket as sums come in, unless all have to be known first.
void AllReduceSgd::end_iteration() {
  while (started_ < buckets_.size()) exchange_->start(started_++);
  started_ = 0;
  const float average = 1.0F / static_cast<float>(replica_.scenario.workers);
  const bool is_all_first = replica_.needs_all_gradients();
  for (std::size_t i = 0; is_all_first && i < buckets_.size(); ++i) exchange_->finish(i);
  const bool is_admitted = replica_.admit_step(average);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (!is_all_first) exchange_->finish(i);
    if (is_admitted) replica_.update(buckets_[i].offset, buckets_[i].elements, average);
  }
}

void AllReduceSgd::visit_state(StateVisitor& visitor) {
  replica_.visit_state(visitor, Holder::kAll);
  exchange_->visit_state(visitor);
}

}  // namespace tandem
