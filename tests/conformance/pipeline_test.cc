// A pipeline is the same training in every world: it ends with the weights, bit for bit, that it
// ends with in the loopback, whatever order its schedule takes micro-batches in.

#include <gtest/gtest.h>

#include <string>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "tests/conformance/gather_hashes.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

using enum PipelineSchedule;

struct Case {
  int workers;
  int stages;
  int micro_batches;
  PipelineSchedule schedule = kOneFOneB;
  bool overlap = true;
  std::optional<double> clip_norm = {};
  bool residual = false;  ///< trains residual_model()
  bool lamb = false;
};

/// With a connection that skips layers, batch norms and dropout.
ModelSpec residual_model() {
  const LayerOptions same = {
      .outputs = 8, .kernel_height = 3, .kernel_width = 3, .padding_height = 1, .padding_width = 1};
  ModelSpec model{.name = "residual", .input = Shape{1, 14, 14}, .classes = 10, .layers = {}};
  const auto add = [&](const char* name, LayerKind kind, const LayerOptions& options = {},
                       const std::vector<std::string>& inputs = {}) {
    model.layers.push_back({.name = name, .kind = kind, .options = options, .inputs = inputs});
  };
  add("conv1", LayerKind::kConvolution, same);
  add("norm1", LayerKind::kBatchNorm);
  add("relu1", LayerKind::kRelu);
  add("conv2", LayerKind::kConvolution, same);
  add("norm2", LayerKind::kBatchNorm);
  add("sum", LayerKind::kAdd, {}, {"norm2", "relu1"});
  add("relu2", LayerKind::kRelu);
  add("drop", LayerKind::kDropout);
  add("conv3", LayerKind::kConvolution, same);
  add("pool", LayerKind::kGlobalAveragePool);
  add("fc", LayerKind::kLinear, {.outputs = 10});
  return model;
}

Scenario scenario_of(const Case& example) {
  Scenario scenario;
  scenario.name = "pipeline";
  scenario.model.name = "mnist_cnn";
  if (example.residual) scenario.model = residual_model();
  scenario.data.name = "synthetic";
  scenario.batch_size = 8;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.05, .momentum = 0.9};
  if (example.lamb) scenario.optimizer = {.name = "lamb", .learning_rate = 0.01};
  scenario.clip_norm = example.clip_norm;
  scenario.iterations = 6;
  scenario.evaluate_every = 3;
  scenario.algorithm.name = "pipeline";
  scenario.algorithm.stages = example.stages;
  scenario.algorithm.micro_batches = example.micro_batches;
  scenario.algorithm.schedule = example.schedule;
  scenario.algorithm.bucket_bytes = 5'000;
  scenario.algorithm.overlap = example.overlap;
  scenario.workers = example.workers;
  scenario.seed = 7;
  return scenario;
}

std::vector<double> accuracies(const MemberResult& result) {
  std::vector<double> accuracies;
  for (const Evaluation& evaluation : result.evaluations) accuracies.push_back(evaluation.accuracy);
  return accuracies;
}

/// What rank 0 ends with.
struct Trained {
  std::string hash;
  std::vector<double> accuracies;
};

/// By gpipe in the loopback.
Trained train_in_the_loopback(Case example) {
  example.schedule = kGPipe;
  const Scenario scenario = scenario_of(example);
  const Experiment experiment = prepared(scenario);
  Trained trained;
  run_loopback(scenario.workers, [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    if (worker.group().rank == 0) trained = {result.weights_hash, accuracies(result)};
  });
  EXPECT_EQ(trained.hash.size(), 16U);
  EXPECT_EQ(trained.accuracies.size(), 3U);
  return trained;
}

class Pipelines : public testing::TestWithParam<Case> {};

TEST_P(Pipelines, EndWithTheBitsOfTheLoopback) {
  const Scenario scenario = scenario_of(GetParam());
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.workers)) {
    GTEST_SKIP() << "this world has no job of " << scenario.workers;
  }
  Trained expected;
  if (world->has_first()) expected = train_in_the_loopback(GetParam());
  const Experiment experiment = prepared(scenario);
  world->run(scenario.workers, [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    const int rank = worker.group().rank;
    const bool is_last = rank % scenario.stages() == scenario.stages() - 1;
    EXPECT_EQ(result.iterations.back().loss.has_value(), is_last);
    const auto hashes = gather_hashes(worker, result.weights_hash);
    if (rank > 0) {
      EXPECT_TRUE(result.evaluations.empty());
    } else {
      EXPECT_EQ(hashes, std::vector<std::string>(scenario.workers, expected.hash));
      EXPECT_EQ(accuracies(result), expected.accuracies);
    }
  });
}

std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const int workers : {1, 2, 3, 4, 7}) {
    for (const int stages : {1, 2, 3, 4, 7}) {
      if (workers % stages != 0) continue;
      cases.push_back({workers, stages, 1});
      cases.push_back({workers, stages, 2 * stages, kGPipe});
      cases.push_back({workers, stages, 2 * stages});
    }
  }
  cases.push_back({.workers = 4, .stages = 2, .micro_batches = 4, .overlap = false});
  cases.push_back({.workers = 4, .stages = 2, .micro_batches = 4, .clip_norm = 0.05});
  cases.push_back({.workers = 4, .stages = 2, .micro_batches = 4, .residual = true});
  cases.push_back({.workers = 4, .stages = 2, .micro_batches = 4, .lamb = true});
  cases.push_back({.workers = 3, .stages = 3, .micro_batches = 6, .residual = true});
  cases.push_back({.workers = 3, .stages = 3, .micro_batches = 3, .clip_norm = 0.05});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(, Pipelines, testing::ValuesIn(cases()), [](const auto& info) {
  const Case& c = info.param;
  return std::to_string(c.workers) + "_workers_" + std::to_string(c.stages) + "_stages_" +
         std::to_string(c.micro_batches) + "_micro_batches" +
         (c.schedule == kGPipe ? "_gpipe" : "") + (c.overlap ? "" : "_alone") +
         (c.clip_norm ? "_clipped" : "") + (c.residual ? "_residual" : "") +
         (c.lamb ? "_lamb" : "");
});

}  // namespace
}  // namespace tandem
