#pragma once

#include "core/strategies/weight_average.h"

namespace tandem {

/// Iterative pairwise averaging: after its own optimizer step a worker averages its weights with
/// one partner after the other, `passes` of them in an iteration, taken from the round-robin
/// tournament. With `passes: all` an all-reduce averages all workers' weights instead. A pass moves
/// a worker's weights once each way; where the number of workers is odd, one sits a pass out.
/// Invariant: a pass leaves the sum of all workers' weights as it was. After the last iteration all
/// workers take the mean of their weights, as decentralised SGD does (Lian et al., "Can
/// decentralized algorithms outperform centralized algorithms?", NeurIPS 2017, Algorithm 1).
class PairwiseAveraging final : public Strategy {
 public:
  explicit PairwiseAveraging(Replica& replica);

  void gradient_ready(int) override {}
  void end_iteration() override;
  void finish() override { average_over_workers(replica_, replica_.parameters.view()); }
  void visit_state(StateVisitor& visitor) override;

 private:
  void pass();

  Replica& replica_;
  Buffer theirs_;
  int round_ = 0;  ///< of the tournament, which goes on from one iteration to the next
};

}  // namespace tandem
