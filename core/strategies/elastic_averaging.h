#pragma once

#include <vector>

#include "core/strategies/parameter_server/pieces.h"
#include "core/strategies/strategy.h"

namespace tandem {

/// A worker of asynchronous elastic averaging SGD (Zhang, Choromanska, LeCun, "Deep learning with
/// elastic averaging SGD", NIPS 2015, algorithm 1): every tau iterations its weights x and the
/// centre, which the servers hold, are drawn towards each other by alpha times their difference;
/// in between it trains by itself. What the gradient is taken at does not depend on the centre, so
/// the exchange goes on while the worker computes. Ends with the centre.
class ElasticAveraging final : public Strategy {
 public:
  explicit ElasticAveraging(Replica& replica);

  void begin_leg(const Leg& leg) override { iteration_ = leg.first; }
  void begin_iteration() override;
  void gradient_ready(int) override {}
  void end_iteration() override;
  void finish() override;
  void visit_state(StateVisitor& visitor) override { replica_.visit_state(visitor, Holder::kOwn); }

 private:
  void receive(const Buffer& into);

  Replica& replica_;
  const AlgorithmSpec& algorithm_;
  std::vector<Piece> pieces_;
  Buffer centre_;  ///< as it was when the servers had our weights
  int iteration_ = 0;
  std::vector<Handle> exchange_;
};

}  // namespace tandem
