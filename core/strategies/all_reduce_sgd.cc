#include "core/strategies/all_reduce_sgd.h"

#include "core/collectives/all_reduce.h"

namespace tandem {

AllReduceSgd::AllReduceSgd(Replica& replica)
    : replica_(replica),
      buckets_(gradient_buckets(replica.graph, replica.scenario.algorithm.bucket_bytes)) {}

void AllReduceSgd::start_next() {
  const Bucket& bucket = buckets_[in_flight_.size()];
  const Group& group = replica_.worker.group();
  const ScheduleFactory& make_schedule = all_reduce(replica_.scenario.algorithm.collective);
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
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    replica_.worker.wait(in_flight_[i]);
    replica_.update(buckets_[i].offset, buckets_[i].elements, average);
  }
  in_flight_.clear();
}

}  // namespace tandem
