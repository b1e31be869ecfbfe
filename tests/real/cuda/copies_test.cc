// What a training copies between the host and a device, as the stand-in counts it.

#include <gtest/gtest.h>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "real/cuda/network.h"
#include "tests/real/cuda/host_engine.h"

namespace tandem {
namespace {

constexpr std::size_t kParameters = 64 * 200 + 200 + 200 * 10 + 10;

Scenario scenario_of(const std::string& algorithm) {
  Scenario scenario;
  scenario.model = {.name = "two_layers",
                    .input = Shape{1, 8, 8},
                    .classes = {},
                    .layers = {{"first", LayerKind::kLinear, {.outputs = 200}, {}},
                               {"relu", LayerKind::kRelu, {}, {}},
                               {"scores", LayerKind::kLinear, {.outputs = 10}, {}}}};
  scenario.data.name = "synthetic";
  scenario.data.prefetch = 0;  // of batches prepared ahead some may be copied when training ends
  scenario.batch_size = 4;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.02, .momentum = 0.9};
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = algorithm;
  scenario.workers = algorithm == "none" ? 1 : 2;
  return scenario;
}

cuda::CopiedBytes copied_by(Scenario scenario, int iterations) {
  scenario.iterations = iterations;
  Experiment experiment = prepare_experiment(scenario, true, cuda_network({}));
  experiment.mirrors = [] { return cuda_mirrors({}); };
  const cuda::CopiedBytes before = cuda::copied_bytes();
  run_loopback(scenario.members(), [&](Worker& worker) { run_member(experiment, worker); });
  const cuda::CopiedBytes after = cuda::copied_bytes();
  return {after.in - before.in, after.out - before.out};
}

/// In one iteration, begin and end of a training not counted.
cuda::CopiedBytes copied_in_iteration(const Scenario& scenario) {
  constexpr int kFew = 3, kMore = 8;
  const cuda::CopiedBytes few = copied_by(scenario, kFew), more = copied_by(scenario, kMore);
  return {(more.in - few.in) / (kMore - kFew), (more.out - few.out) / (kMore - kFew)};
}

TEST(Copies, AreOfArenasWhereWorkersExchangeGradients) {
  const cuda::CopiedBytes copied = copied_in_iteration(scenario_of("all_reduce"));
  EXPECT_GE(copied.in, 2 * kParameters * sizeof(float));
  EXPECT_GE(copied.out, 2 * kParameters * sizeof(float));
}

TEST(Copies, AreOf16BitsWhereGradientsTravelSo) {
  Scenario scenario = scenario_of("all_reduce");
  scenario.algorithm.compression.name = "fp16";
  const cuda::CopiedBytes copied = copied_in_iteration(scenario);
  EXPECT_GE(copied.out, 2 * kParameters * sizeof(Float16));
  EXPECT_LT(copied.out, 2 * kParameters * sizeof(float));
  EXPECT_LT(copied.in, 2 * kParameters * sizeof(float));
}

TEST(Copies, AreOfNoArenaWhereAWorkerIsAlone) {
  const std::vector<std::pair<std::string, std::function<void(Scenario&)>>> changes = {
      {"plain", [](Scenario&) {}},
      {"clipping", [](Scenario& s) { s.clip_norm = 0.1; }},
      {"adam", [](Scenario& s) { s.optimizer = {.name = "adam", .learning_rate = 0.01}; }},
      {"lamb", [](Scenario& s) { s.optimizer = {.name = "lamb", .learning_rate = 0.01}; }},
      {"passes", [](Scenario& s) { s.backward_passes_per_step = 2; }}};
  for (const auto& [what, change] : changes) {
    for (const char* precision : {"fp32", "fp16", "bf16"}) {
      Scenario scenario = scenario_of("none");
      scenario.precision.name = precision;
      change(scenario);
      const cuda::CopiedBytes copied = copied_in_iteration(scenario);
      constexpr std::size_t kImages = std::size_t{4} * 64 * sizeof(float);
      EXPECT_LT(copied.in, 2 * kImages + 200) << what << ' ' << precision;
      EXPECT_LT(copied.out, 300U) << what << ' ' << precision;
    }
  }
}

}  // namespace
}  // namespace tandem
