#pragma once

#include <vector>

#include "core/strategies/gradient_buckets.h"
#include "core/strategies/strategy.h"

namespace tandem {

/// A worker of the synchronous parameter server (Li et al., "Scaling distributed machine learning
/// with the parameter server", OSDI 2014) with one dedicated server: it pulls all weights before
/// the forward pass and pushes each bucket of gradients as backward finishes it. It keeps no
/// optimizer state.
class ParameterServerWorker final : public Strategy {
 public:
  explicit ParameterServerWorker(Replica& replica);

  void begin_iteration() override { pull(); }
  void gradient_ready(int layer) override;
  void end_iteration() override;
  void finish() override { pull(); }

 private:
  void pull();
  void push_next();

  Replica& replica_;
  int server_;
  std::vector<Bucket> buckets_;
  std::vector<Handle> pushes_;  ///< of buckets_[0, pushes_.size())
};

/// The server: in every iteration it sends the weights to all workers, takes in their gradients,
/// adds each bucket up in the order of the workers' ranks, so that the sum has the same bits in
/// every run, and updates the weights from the average. Ends after `iterations` and one last round
/// of pulls.
void serve_parameters(Replica& replica, int iterations);

}  // namespace tandem
