#include "core/training/gradient_scale.h"

#include <algorithm>
#include <cmath>

namespace tandem {

GradientScale::GradientScale(const Scenario& scenario)
    : passes_(scenario.backward_passes_per_step),
      clip_norm_(scenario.clip_norm),
      scale_(1.0 / scenario.backward_passes_per_step) {
  if (scenario.precision.scales_loss()) loss_scaler_.emplace(scenario.precision.loss_scale);
}

float GradientScale::loss_scale() const {
  return loss_scaler_ ? static_cast<float>(loss_scaler_->scale()) : 1.0F;
}

bool GradientScale::admit(double square, float average) {
  scale_ = 1.0 / (passes_ * static_cast<double>(loss_scale()));
  if (loss_scaler_) {
    const bool overflow = !std::isfinite(square);
    loss_scaler_->update(overflow);
    if (overflow) return false;
  }
  if (clip_norm_) {
    const double norm = std::sqrt(square) * average * scale_;
    constexpr double kNoDivisionByZero = 1e-6;
    scale_ *= std::min(1.0, *clip_norm_ / (norm + kNoDivisionByZero));
  }
  return true;
}

}  // namespace tandem
