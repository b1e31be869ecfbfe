#pragma once

#include <vector>

#include "core/strategies/gradient_exchange.h"

namespace tandem {

/// A worker sends only the share `ratio` of a bucket's gradients that are largest in size, as pairs
/// of index and value, 8 bytes each, and everyone adds up everyone's (Aji and Heafield, "Sparse
/// communication for distributed gradient descent", EMNLP 2017; Lin et al., "Deep gradient
/// compression", ICLR 2018, without its momentum correction). What was not sent is kept and added
/// to the next gradients: error feedback (Karimireddy et al., "Error feedback fixes SignSGD", ICML
/// 2019). A worker sends (N-1) times its pairs, in an all-gather.
class TopKExchange final : public GradientExchange {
 public:
  TopKExchange(Replica& replica, std::vector<Bucket> buckets);

  static std::vector<CollectiveUse> collectives(const Scenario& scenario, const LayerGraph& graph,
                                                const Bucket& bucket);

  void start(std::size_t bucket) override;
  void finish(std::size_t bucket) override;
  void visit_state(StateVisitor& visitor) override;

 private:
  Replica& replica_;
  std::vector<Bucket> buckets_;
  Buffer error_;               ///< what was not sent yet, as the gradient arena
  std::vector<Buffer> pairs_;  ///< by bucket: every worker's, in the order of ranks
  std::vector<Handle> in_flight_;
};

}  // namespace tandem
