#include "core/strategies/all_reduce_sgd.h"

#include <set>

#include "core/strategies/all_reduce_use.h"

namespace tandem {

AllReduceSgd::AllReduceSgd(Replica& replica)
    : replica_(replica),
      buckets_(gradient_buckets(replica.graph, replica.scenario.algorithm.bucket_bytes,
                                replica.scenario.precision.dtype())) {
  for (const Bucket& bucket : buckets_) {
    all_reduces_.push_back(
        all_reduce_use(replica.scenario, bucket.elements, replica.scenario.precision.dtype())
            .factory);
  }
}

std::vector<CollectiveUse> AllReduceSgd::collectives(const Scenario& scenario,
                                                     const LayerGraph& graph) {
  std::set<std::size_t> sizes;
  for (const Bucket& bucket :
       gradient_buckets(graph, scenario.algorithm.bucket_bytes, scenario.precision.dtype())) {
    sizes.insert(bucket.elements);
  }
  std::vector<CollectiveUse> uses;
  for (const std::size_t elements : sizes) {
    uses.push_back(all_reduce_use(scenario, elements, scenario.precision.dtype()));
  }
  return uses;
}

void AllReduceSgd::start_next() {
  const Bucket& bucket = buckets_[in_flight_.size()];
  const Group& group = replica_.worker.group();
  const ScheduleFactory& make_schedule = all_reduces_[in_flight_.size()];
  in_flight_.push_back(
      replica_.worker.start(make_schedule(group.size, group.rank, bucket.elements),
                            replica_.gradients.view().slice(bucket.offset, bucket.elements)));
}

void AllReduceSgd::gradient_ready(int layer) {
  if (!replica_.scenario.algorithm.overlap) return;
  while (in_flight_.size() < buckets_.size() && buckets_[in_flight_.size()].last_layer >= layer) {
    start_next();
  }
}

void AllReduceSgd::end_iteration() {
  while (in_flight_.size() < buckets_.size()) start_next();
  const float average = 1.0F / static_cast<float>(replica_.scenario.workers);
  if (replica_.gradient_scale.needs_norm()) wait_all(replica_.worker, in_flight_);
  const bool is_admitted = replica_.admit_step(average);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    replica_.worker.wait(in_flight_[i]);
    if (is_admitted) replica_.update(buckets_[i].offset, buckets_[i].elements, average);
  }
  in_flight_.clear();
}

}  // namespace tandem
