#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/strategies/all_reduce_use.h"
#include "core/strategies/gradient_buckets.h"
#include "core/training/replica.h"

namespace tandem {

/// How all workers sum up their gradients, bucket by bucket: as they are, or compressed on the wire
/// (scenario key algorithm.compression). All workers start the buckets in the same order, and then
/// finish them in that order.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  /// Puts a bucket, whose gradients are final, in flight; in the background as far as it goes. Its
  /// gradients may not be touched before finish().
  virtual void start(std::size_t bucket) = 0;

  /// Waits for a bucket; its gradients are the sums over all workers then, in the same bits on
  /// each.
  virtual void finish(std::size_t bucket) = 0;

  /// Visits what is kept from one iteration to the next.
  virtual void visit_state(StateVisitor&) {}
};

/// That of the replica's scenario; `replica` must outlive it.
std::unique_ptr<GradientExchange> make_gradient_exchange(Replica& replica,
                                                         std::vector<Bucket> buckets);

/// The collectives that it starts for a bucket.
std::vector<CollectiveUse> exchange_collectives(const Scenario& scenario, const LayerGraph& graph,
                                                const Bucket& bucket);

/// Runs arithmetic that compresses or decompresses, as a kernel of the worker; `body` only where
/// the run carries data.
void run_compression(Worker& worker, double flops, double bytes, std::function<void()> body);

}  // namespace tandem
