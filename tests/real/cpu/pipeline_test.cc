// A pipeline trains as one worker does that takes all its samples at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/training/experiment.h"
#include "core/training/trainer.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {
namespace {

constexpr int kSamples = 24;  // of an iteration, whoever takes them

struct Trained {
  std::vector<float> weights;
  double loss = 0;  ///< of the last iteration, the mean over pipelines
  double accuracy = 0;
};

Trained train(const Scenario& scenario) {
  const Experiment experiment = prepare_on_device(scenario);
  Trained trained;
  std::mutex mutex;
  run_loopback(scenario.workers, [&](Worker& worker) {
    Replica replica(experiment.scenario, experiment.graph, worker);
    Checkpoints none(experiment.scenario, worker, false, experiment.iterations, 0);
    Trainer(experiment, replica, none).train();
    const std::lock_guard lock(mutex);
    if (const auto loss = worker.record().iterations().back().loss) {
      trained.loss += *loss * scenario.stages() / scenario.workers;
    }
    if (worker.group().rank > 0) return;
    const auto weights = replica.weights().floats();
    trained.weights.assign(weights.begin(), weights.end());
    trained.accuracy = worker.record().evaluations().back().accuracy;
  });
  return trained;
}

Scenario one_worker(const std::string& model) {
  Scenario scenario;
  scenario.name = "pipeline";
  scenario.model.name = model;
  scenario.data.name = "synthetic";
  scenario.batch_size = kSamples;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.05, .momentum = 0.9};
  scenario.iterations = 6;
  scenario.algorithm.name = "none";
  return scenario;
}

Scenario pipeline(Scenario scenario, int stages, int replicas, int micro_batches) {
  scenario.workers = stages * replicas;
  scenario.batch_size = kSamples / scenario.workers;
  scenario.algorithm.name = "pipeline";
  scenario.algorithm.stages = stages;
  scenario.algorithm.micro_batches = micro_batches;
  return scenario;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

std::vector<float> initial_weights(const Scenario& scenario) {
  const LayerGraph graph = build_model(scenario.model.name, {scenario.model.input, {}});
  std::vector<float> weights(graph.parameter_elements());
  initialize_parameters(graph, scenario.seed, weights);
  return weights;
}

// Gradients of micro-batches are rounded one by one and added up in another order.
const double kRounding = device_rounding();
constexpr double kLeastChange = 2e-3;  // of some weight while training

TEST(PipelineTraining, EndsWhereOneWorkerWithAllSamplesDoes) {
  const Scenario alone = one_worker("mnist_cnn");
  const Trained expected = train(alone);
  EXPECT_GT(largest_difference(expected.weights, initial_weights(alone)), kLeastChange);
  for (const auto& [stages, replicas, micro_batches] :
       {std::tuple(1, 1, 4), {2, 1, 1}, {2, 1, 6}, {3, 1, 3}, {2, 3, 4}, {4, 2, 2}, {6, 1, 12}}) {
    for (const PipelineSchedule schedule :
         {PipelineSchedule::kGPipe, PipelineSchedule::kOneFOneB}) {
      Scenario scenario = pipeline(alone, stages, replicas, micro_batches);
      scenario.algorithm.schedule = schedule;
      const Trained trained = train(scenario);
      EXPECT_LT(largest_difference(trained.weights, expected.weights), kRounding)
          << stages << "x" << replicas << " in " << micro_batches;
      EXPECT_NEAR(trained.loss, expected.loss, 1e-5);
      EXPECT_NEAR(trained.accuracy, expected.accuracy, 0.004);  // a sample of 256
    }
  }
}

// With one micro-batch a batch norm sees the samples that one worker's does. Its cuts are between
// residual blocks, so the first layers of a stage read what came in twice.
TEST(PipelineTraining, OfAResidualNetworkWithBatchNormIsTheSameInOneMicroBatch) {
  Scenario alone = one_worker("resnet50");
  alone.model.input = Shape{3, 32, 32};
  alone.model.classes = 10;
  alone.iterations = 1;
  alone.warmup_iterations = 0;
  const Trained expected = train(alone);
  const Trained trained = train(pipeline(alone, 4, 1, 1));
  EXPECT_LT(largest_difference(trained.weights, expected.weights), 1e-4);
  EXPECT_NEAR(trained.loss, expected.loss, 1e-4);
  EXPECT_EQ(trained.accuracy, expected.accuracy);
}

// A sequence has a label at every position.
TEST(PipelineTraining, OfATransformerEndsWhereOneWorkerDoes) {
  Scenario alone = one_worker("gpt");
  alone.model.transformer = {.layers = 2, .width = 16, .heads = 2, .vocabulary = 11, .sequence = 8};
  const Trained expected = train(alone);
  EXPECT_LT(expected.accuracy, 1);
  for (const auto& [stages, replicas, micro_batches] :
       {std::tuple(1, 2, 3), {2, 1, 4}, {3, 2, 2}}) {
    const Trained trained = train(pipeline(alone, stages, replicas, micro_batches));
    EXPECT_LT(largest_difference(trained.weights, expected.weights), kRounding)
        << stages << "x" << replicas << " in " << micro_batches;
    EXPECT_NEAR(trained.loss, expected.loss, 1e-5);
    EXPECT_NEAR(trained.accuracy, expected.accuracy, 0.002);
  }
}

}  // namespace
}  // namespace tandem
