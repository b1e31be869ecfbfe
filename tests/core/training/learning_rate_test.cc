#include "core/training/learning_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

Scenario scenario_of(const LearningRateSchedule& schedule) {
  Scenario scenario;
  scenario.optimizer.learning_rate = 0.4;
  scenario.learning_rate_schedule = schedule;
  return scenario;
}

TEST(LearningRate, IsConstantByDefault) {
  EXPECT_EQ(learning_rate(scenario_of({}), 0), 0.4);
  EXPECT_EQ(learning_rate(scenario_of({}), 1'000'000), 0.4);
}

TEST(LearningRate, FallsInSteps) {
  const Scenario scenario = scenario_of({.name = "step", .every = 30, .factor = 0.1});
  EXPECT_EQ(learning_rate(scenario, 29), 0.4);
  EXPECT_NEAR(learning_rate(scenario, 30), 0.04, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 89), 0.004, 1e-15);
}

// As torch.optim.lr_scheduler.CosineAnnealingLR(T_max=8, eta_min=0.1) goes from 0.4.
TEST(LearningRate, FollowsHalfACosine) {
  const Scenario scenario = scenario_of({.name = "cosine", .steps = 8, .minimum = 0.1});
  EXPECT_EQ(learning_rate(scenario, 0), 0.4);
  EXPECT_NEAR(learning_rate(scenario, 2), 0.25 + 0.15 * std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 4), 0.25, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 8), 0.1, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 9), 0.1, 1e-15);
}

TEST(LearningRate, WarmsUpFromZero) {
  const Scenario scenario = scenario_of({.name = "step", .warmup_steps = 4, .every = 2});
  EXPECT_NEAR(learning_rate(scenario, 0), 0.1, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 3), 0.4, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 5), 0.4, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 6), 0.04, 1e-15);  // steps count from the warm-up's end
}

TEST(LearningRate, GrowsWithTheMiniBatchFromTheUnscaledRate) {
  Scenario scenario = scenario_of({.warmup_steps = 5, .linear_scaling = true});
  scenario.workers = 3;
  scenario.backward_passes_per_step = 2;
  EXPECT_NEAR(learning_rate(scenario, 5), 2.4, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 4), 2.4, 1e-15);
  EXPECT_NEAR(learning_rate(scenario, 0), 0.4 + 2.0 / 5, 1e-15);
}

}  // namespace
}  // namespace tandem
