// What the training loop does with gradients between the network and the optimizer.

#include <gtest/gtest.h>

#include <cmath>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "core/training/trainer.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {
namespace {

/// Linear throughout, so that a rounding can't turn a unit on or off.
Scenario scenario_of() {
  Scenario scenario;
  scenario.name = "training";
  scenario.model.input = Shape{1, 28, 28};
  scenario.model.classes = 10;
  scenario.model.name = "linear";
  scenario.model.layers = {
      {.name = "flat", .kind = LayerKind::kFlatten, .options = {}, .inputs = {}},
      {.name = "hidden", .kind = LayerKind::kLinear, .options = {.outputs = 32}, .inputs = {}},
      {.name = "out", .kind = LayerKind::kLinear, .options = {.outputs = 10}, .inputs = {}}};
  scenario.data.name = "synthetic";
  scenario.batch_size = 8;
  scenario.optimizer.learning_rate = 0.05;
  scenario.iterations = 5;
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = "none";
  return scenario;
}

struct Trained {
  std::vector<float> weights;
  std::vector<double> losses;
};

Trained train(const Scenario& scenario) {
  const Experiment experiment = prepare_on_device(scenario);
  Trained trained;
  run_loopback(1, [&](Worker& worker) {
    Replica replica(experiment.scenario, experiment.graph, worker);
    Checkpoints none(experiment.scenario, worker, false, experiment.iterations, 0);
    Trainer(experiment, replica, none).train();
    const auto weights = replica.weights().floats();
    trained.weights.assign(weights.begin(), weights.end());
    for (const IterationRecord& iteration : worker.record().iterations()) {
      trained.losses.push_back(*iteration.loss);
    }
  });
  return trained;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Training, PassesOverPartsOfABatchGiveItsStep) {
  const Trained whole = train(scenario_of());
  Scenario scenario = scenario_of();
  scenario.batch_size = 2;
  scenario.backward_passes_per_step = 4;
  const Trained parts = train(scenario);
  EXPECT_LT(largest_difference(whole.weights, parts.weights), 1e-6);
  for (std::size_t i = 0; i < whole.losses.size(); ++i) {
    EXPECT_NEAR(parts.losses[i], whole.losses[i], 1e-5);
  }
  EXPECT_LT(whole.losses.back(), whole.losses.front());
}

TEST(Training, In16BitsStaysNearThatInFloat32) {
  const Trained whole = train(scenario_of());
  for (const char* precision : {"fp16", "bf16"}) {
    Scenario scenario = scenario_of();
    scenario.precision.name = precision;
    scenario.precision.loss_scale.initial = 1024;
    const Trained rounded = train(scenario);
    const double difference = largest_difference(whole.weights, rounded.weights);
    EXPECT_GT(difference, 0) << precision;
    EXPECT_LT(difference, 1e-3) << precision;
  }
}

TEST(Training, AnOverflowSkipsTheStepAndLowersTheLossScale) {
  Scenario scenario = scenario_of();
  scenario.precision.name = "fp16";
  scenario.precision.loss_scale = {.initial = 0x1p60, .hysteresis = 1};
  const Trained skipped = train(scenario);
  Scenario initial = scenario;
  initial.optimizer.learning_rate = 1e-30;
  EXPECT_EQ(skipped.weights, train(initial).weights);
  EXPECT_NE(skipped.losses.front(), skipped.losses.back());  // other samples
  scenario.iterations = 70;                                  // the scale falls to where it fits
  EXPECT_NE(train(scenario).weights, skipped.weights);
}

TEST(Training, ClippingBoundsTheStep) {
  Scenario scenario = scenario_of();
  scenario.iterations = 1;
  scenario.optimizer.learning_rate = 1;
  const std::vector<float> stepped = [&] {
    Scenario clipped = scenario;
    clipped.clip_norm = 0.125;
    return train(clipped).weights;
  }();
  scenario.optimizer.learning_rate = 1e-30;
  const std::vector<float> initial = train(scenario).weights;
  double square = 0;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    square += std::pow(static_cast<double>(stepped[i]) - initial[i], 2);
  }
  EXPECT_NEAR(std::sqrt(square), 0.125, 1e-5);
}

std::vector<double> accuracies(int stage) {
  Scenario scenario = scenario_of();
  scenario.workers = 2;
  scenario.iterations = 6;
  scenario.evaluate_every = 2;
  scenario.algorithm.name = "zero";
  scenario.algorithm.stage = stage;
  scenario.algorithm.bucket_bytes = 4000;
  const Experiment experiment = prepare_on_device(scenario);
  std::vector<double> accuracies;
  run_loopback(scenario.workers, [&](Worker& worker) {
    for (const Evaluation& evaluation : run_member(experiment, worker).evaluations) {
      accuracies.push_back(evaluation.accuracy);
    }
  });
  return accuracies;
}

TEST(Training, IsEvaluatedWithWeightsThatOtherWorkersHold) {
  const std::vector<double> whole = accuracies(0);
  EXPECT_EQ(whole.size(), 3U);  // after 2, 4 and 6
  EXPECT_GT(whole.front(), 0.2);
  for (const int stage : {1, 2, 3}) EXPECT_EQ(accuracies(stage), whole) << stage;
}

}  // namespace
}  // namespace tandem
