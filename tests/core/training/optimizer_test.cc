#include "core/training/optimizer.h"

#include <gtest/gtest.h>

#include "core/comm/loopback/loopback.h"

namespace tandem {
namespace {

/// Two steps on weights {1, -2} with summed gradients {2, 4} of two workers.
std::vector<float> after_two_steps(const OptimizerSpec& spec) {
  std::vector<float> weights;
  run_loopback(1, [&](Worker& worker) {
    const Buffer parameters = worker.allocate(2, DType::kFloat32);
    const Buffer gradients = worker.allocate(2, DType::kFloat32);
    parameters.view().floats()[0] = 1;
    parameters.view().floats()[1] = -2;
    gradients.view().floats()[0] = 2;
    gradients.view().floats()[1] = 4;
    Optimizer optimizer(spec, worker, 2);
    for (int i = 0; i < 2; ++i) {
      optimizer.step(worker, parameters.view(), gradients.view(), 0, 2, 0.5F);
    }
    weights.assign(parameters.view().floats().begin(), parameters.view().floats().end());
  });
  return weights;
}

TEST(Optimizer, PlainGradientDescent) {
  // w -= 0.1 * {1, 2}, twice
  const auto weights = after_two_steps({.name = "sgd", .learning_rate = 0.1});
  EXPECT_FLOAT_EQ(weights[0], 0.8F);
  EXPECT_FLOAT_EQ(weights[1], -2.4F);
}

TEST(Optimizer, Momentum) {
  // v = {1, 2}, then {1.9, 3.8}
  const auto weights = after_two_steps({.name = "sgd", .learning_rate = 0.1, .momentum = 0.9});
  EXPECT_FLOAT_EQ(weights[0], 1 - 0.1F - 0.19F);
  EXPECT_FLOAT_EQ(weights[1], -2 - 0.2F - 0.38F);
}

TEST(Optimizer, WeightDecayJoinsTheGradient) {
  // g' = 1 + 0.5 * 1 = 1.5, w = 0.85; g' = 1 + 0.425, w = 0.85 - 0.1425
  const auto weights = after_two_steps({.name = "sgd", .learning_rate = 0.1, .weight_decay = 0.5});
  EXPECT_FLOAT_EQ(weights[0], 0.7075F);
}

TEST(Optimizer, UpdatesOnlyItsSlice) {
  run_loopback(1, [](Worker& worker) {
    const Buffer parameters = worker.allocate(3, DType::kFloat32);
    const Buffer gradients = worker.allocate(3, DType::kFloat32);
    for (float& gradient : gradients.view().floats()) gradient = 1;
    Optimizer optimizer({.name = "sgd", .learning_rate = 1, .momentum = 0.5}, worker, 3);
    optimizer.step(worker, parameters.view(), gradients.view(), 1, 1, 1);
    EXPECT_EQ(parameters.view().floats()[0], 0);
    EXPECT_EQ(parameters.view().floats()[1], -1);
    EXPECT_EQ(parameters.view().floats()[2], 0);
  });
}

}  // namespace
}  // namespace tandem
