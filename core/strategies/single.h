#pragma once

#include "core/strategies/strategy.h"

namespace tandem {

/// One worker alone: updates its weights from its own gradients. The baseline of every speed-up.
class Single final : public Strategy {
 public:
  explicit Single(Replica& replica) : replica_(replica) {}

  void gradient_ready(int) override {}
  void end_iteration() override { replica_.step_alone(); }
  void visit_state(StateVisitor& visitor) override { replica_.visit_state(visitor, Holder::kAll); }

 private:
  Replica& replica_;
};

}  // namespace tandem
