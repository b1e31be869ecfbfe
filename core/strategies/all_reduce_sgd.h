#pragma once

#include <memory>
#include <vector>

#include "core/strategies/gradient_buckets.h"
#include "core/strategies/gradient_exchange.h"
#include "core/strategies/strategy.h"

namespace tandem {

/// Synchronous data-parallel SGD by all-reduce, as in Horovod (Sergeev and Del Balso, 2018) and
/// PyTorch DDP: gradients join buckets as backward finishes them, a full bucket is summed over all
/// workers in the background, and each worker updates its own weights from the average. Invariant:
/// all workers hold the same weights, bit for bit, after every iteration.
class AllReduceSgd final : public Strategy {
 public:
  explicit AllReduceSgd(Replica& replica);

  static std::vector<CollectiveUse> collectives(const Scenario& scenario, const LayerGraph& graph);

  void gradient_ready(int layer) override;
  void end_iteration() override;
  void visit_state(StateVisitor& visitor) override;

 private:
  Replica& replica_;
  std::vector<Bucket> buckets_;
  std::unique_ptr<GradientExchange> exchange_;
  std::size_t started_ = 0;  ///< buckets of this iteration
};

}  // namespace tandem
