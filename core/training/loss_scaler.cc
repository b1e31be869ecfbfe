#include "core/training/loss_scaler.h"

#include <algorithm>

namespace tandem {

void LossScaler::update(bool overflow) {
  if (overflow) {
    ++skipped_steps_;
    good_steps_ = 0;
    if (hysteresis_ > 1) {
      --hysteresis_;
    } else {
      scale_ = std::max(scale_ / 2, spec_.minimum);
    }
  } else if (++good_steps_ % spec_.window == 0) {
    hysteresis_ = spec_.hysteresis;
    scale_ *= 2;
  }
}

void LossScaler::visit_state(StateVisitor& visitor) {
  visit_value(visitor, "loss_scale.scale", scale_);
  visit_value(visitor, "loss_scale.hysteresis", hysteresis_);
  visit_value(visitor, "loss_scale.good_steps", good_steps_);
  visit_value(visitor, "loss_scale.skipped_steps", skipped_steps_);
}

}  // namespace tandem
