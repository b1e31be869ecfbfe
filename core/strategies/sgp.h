#pragma once

#include "core/strategies/weight_average.h"

namespace tandem {

/// Stochastic gradient push (Assran et al., "Stochastic gradient push for distributed deep
/// learning", ICML 2019, Algorithm 1): a worker steps from the gradient at its de-biased weights z,
/// pushes half of its biased weights x and of its push-sum weight w to one peer of the directed
/// exponential graph (1, 2, 4, ... ranks on, in turn), adds what was pushed to it, and de-biases: z
/// = x / w. Invariant: the sums of x and of w over all workers are as before the push. Between
/// iterations the replica holds z, and x is w z. After the last iteration all workers take the mean
/// of x, which is what z tends to.
class StochasticGradientPush final : public Strategy {
 public:
  explicit StochasticGradientPush(Replica& replica);

  void gradient_ready(int) override {}
  void end_iteration() override;
  void finish() override;
  void visit_state(StateVisitor& visitor) override;

 private:
  void push(int to, int from);

  Replica& replica_;
  Buffer received_;
  Buffer push_sum_weight_;  ///< w: one number, as is the next
  Buffer received_weight_;
  int iteration_ = 0;
};

}  // namespace tandem
