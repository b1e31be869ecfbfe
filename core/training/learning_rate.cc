#include "core/training/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tandem {
namespace {

/// Of the scaled rate, `step` steps after the warm-up.
double decayed(const LearningRateSchedule& schedule, double rate, int step) {
  if (schedule.name == "step") return rate * std::pow(schedule.factor, step / schedule.every);
  if (schedule.name == "cosine") {
    const int steps = std::max(1, schedule.steps - schedule.warmup_steps);
    const double progress = std::min(1.0, static_cast<double>(step) / steps);
    const double share = (1 + std::cos(std::numbers::pi * progress)) / 2;
    return schedule.minimum + (rate - schedule.minimum) * share;
  }
  return rate;
}

}  // namespace

double learning_rate(const Scenario& scenario, int step) {
  const LearningRateSchedule& schedule = scenario.learning_rate_schedule;
  const double base = scenario.optimizer.learning_rate;
  const int growth = scenario.workers * scenario.backward_passes_per_step;
  const double rate = schedule.linear_scaling ? base * growth : base;
  if (step >= schedule.warmup_steps) return decayed(schedule, rate, step - schedule.warmup_steps);
  const double start = schedule.linear_scaling ? base : 0;
  return start + (rate - start) * (step + 1) / schedule.warmup_steps;
}

}  // namespace tandem
