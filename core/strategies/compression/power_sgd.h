#pragma once

#include <vector>

#include "core/strategies/gradient_exchange.h"

namespace tandem {

/// PowerSGD (Vogels, Karimireddy and Jaggi, "PowerSGD: practical low-rank gradient compression for
/// distributed optimization", NeurIPS 2019): of a gradient matrix M (outputs x inputs) two factors
/// of `rank` columns are sent, P and Q, so that P Q^T is M's best approximation in that step of a
/// power iteration, which starts from the last iteration's Q. Error feedback keeps the rest. What
/// is no matrix, or as small as its factors, goes as it is, with P.
class PowerSgdExchange final : public GradientExchange {
 public:
  PowerSgdExchange(Replica& replica, std::vector<Bucket> buckets);

  static std::vector<CollectiveUse> collectives(const Scenario& scenario, const LayerGraph& graph,
                                                const Bucket& bucket);

  void start(std::size_t bucket) override;
  /// The second all-reduce, of Q, begins only here: it needs the sum of P.
  void finish(std::size_t bucket) override;
  void visit_state(StateVisitor& visitor) override;

  /// A tensor of a bucket: a matrix with its factors, or, where `columns` is 0, a vector.
  struct Tensor {
    std::size_t offset = 0;  ///< in the arena
    std::size_t rows = 0;    ///< of a vector its elements
    std::size_t columns = 0;
    std::size_t left = 0;   ///< where P, or the vector, is in the first message
    std::size_t right = 0;  ///< where Q is in the second
  };
  /// A bucket's tensors and the lengths of its two messages.
  struct Layout {
    std::vector<Tensor> tensors;
    std::size_t left = 0;
    std::size_t right = 0;
    double matrix_elements = 0;
  };

 private:
  /// Runs the body on every tensor of the bucket's data, as one kernel.
  template <typename Body>
  void for_each_tensor(const Layout& layout, const Body& body);

  Replica& replica_;
  std::vector<Bucket> buckets_;
  std::vector<Layout> layouts_;  ///< this and those below: by bucket
  std::vector<Buffer> left_;
  std::vector<Buffer> right_;  ///< keeps Q between iterations
  std::vector<Handle> in_flight_;
  Buffer error_;  ///< as the gradient arena
};

}  // namespace tandem
