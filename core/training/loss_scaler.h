#pragma once

#include "core/scenario/scenario.h"
#include "core/training/checkpoint/state.h"

namespace tandem {

/// The factor that keeps small gradients above the smallest 16-bit number (Micikevicius et al.,
/// "Mixed precision training", ICLR 2018), found while training, as DeepSpeed's DynamicLossScaler
/// does: it doubles after `window` steps without overflow; an overflow halves it, down to
/// `minimum`, once `hysteresis` - 1 overflows were let pass. Hysteresis is renewed when the factor
/// grows.
class LossScaler {
 public:
  explicit LossScaler(const LossScaleSpec& spec)
      : spec_(spec), scale_(spec.initial), hysteresis_(spec.hysteresis) {}

  /// Of the next step; a power of 2 if the initial one is.
  double scale() const { return scale_; }

  /// Takes in whether a step's gradients overflowed. Every member has to say the same.
  void update(bool overflow);

  /// Steps that overflowed, of the whole training.
  int skipped_steps() const { return skipped_steps_; }

  void visit_state(StateVisitor& visitor);

 private:
  LossScaleSpec spec_;
  double scale_;
  int hysteresis_;
  int good_steps_ = 0;  ///< since the last overflow
  int skipped_steps_ = 0;
};

}  // namespace tandem
