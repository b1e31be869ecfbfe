#pragma once

#include <optional>

#include "core/scenario/scenario.h"
#include "core/training/loss_scaler.h"

namespace tandem {

/// Turns the gradients that a strategy summed over workers into those that the optimizer takes:
/// divides by the passes of an iteration and the loss scale, clips by the global norm (Pascanu,
/// Mikolov and Bengio, "On the difficulty of training recurrent neural networks", ICML 2013, in
/// torch.nn.utils.clip_grad_norm_'s form), and says which steps to skip.
class GradientScale {
 public:
  explicit GradientScale(const Scenario& scenario);

  /// What backward multiplies gradients by before they are rounded to 16 bits; 1 without loss
  /// scaling.
  float loss_scale() const;

  /// Whether admit() has to be told the norm.
  bool needs_norm() const { return clip_norm_ || loss_scaler_; }

  /// Decides about a step from the squared length of its summed gradients, of which `average` makes
  /// the mean over workers. False where one is infinite or not a number and losses are scaled: then
  /// the step is to be skipped. Requires needs_norm(), once a step, the same on every member.
  bool admit(double square, float average);

  /// Steps that were not admitted, of the whole training; nothing without loss scaling.
  std::optional<int> skipped_steps() const {
    return loss_scaler_ ? std::optional(loss_scaler_->skipped_steps()) : std::nullopt;
  }

  /// Visits the loss scale.
  void visit_state(StateVisitor& visitor) {
    if (loss_scaler_) loss_scaler_->visit_state(visitor);
  }

  /// The factor for this step's gradients.
  float factor(float average) const { return static_cast<float>(average * scale_); }

 private:
  int passes_;
  std::optional<double> clip_norm_;
  std::optional<LossScaler> loss_scaler_;
  double scale_;  ///< of the mean over workers
};

}  // namespace tandem
