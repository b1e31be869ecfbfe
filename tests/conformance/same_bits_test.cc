// One algorithm layer, so one result: with the same seed, synchronous strategies end with the same
// weights, bit for bit, in every world. The loopback is the reference.

#include <gtest/gtest.h>

#include <map>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "real/cpu/network.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

struct Case {
  std::string algorithm;
  int workers;
  int threads = 1;
  std::string training = {};  ///< one of training_variants(), or as scenario_of() has it
};

/// Ways to train that have to keep the bits, by name.
const std::map<std::string, void (*)(Scenario&)>& training_variants() {
  static const std::map<std::string, void (*)(Scenario&)> kVariants = {
      {"accumulation",
       [](Scenario& scenario) {
         scenario.batch_size = 4;
         scenario.backward_passes_per_step = 3;
       }},
      {"adamw",
       [](Scenario& scenario) {
         scenario.optimizer = {.name = "adamw", .learning_rate = 0.002, .weight_decay = 0.01};
       }},
      {"bf16", [](Scenario& scenario) { scenario.precision.name = "bf16"; }},
      {"clip",
       [](Scenario& scenario) {
         scenario.clip_norm = 0.5;
         scenario.optimizer.learning_rate = 0.1;
         scenario.iterations = 12;
       }},
      {"fp16",
       [](Scenario& scenario) {
         scenario.precision.name = "fp16";
         scenario.precision.loss_scale = {
             .initial = 0x1p20, .window = 50, .hysteresis = 1, .minimum = 1};
         scenario.backward_passes_per_step = 2;
         scenario.iterations = 16;  // the first ones overflow and are skipped
       }},
      {"schedule",
       [](Scenario& scenario) {
         scenario.optimizer.nesterov = true;
         scenario.iterations = 12;
         scenario.learning_rate_schedule = {
             .name = "cosine", .warmup_steps = 2, .linear_scaling = true};
       }},
      {"wire_bf16", [](Scenario& scenario) { scenario.algorithm.compression.name = "bf16"; }},
      {"wire_fp16", [](Scenario& scenario) { scenario.algorithm.compression.name = "fp16"; }},
      {"wire_power_sgd",
       [](Scenario& scenario) {
         scenario.algorithm.compression = {.name = "power_sgd", .rank = 2};
         scenario.optimizer.momentum = 0;
         scenario.iterations = 12;
       }},
      {"wire_top_k",
       [](Scenario& scenario) {
         scenario.algorithm.compression = {.name = "top_k", .ratio = 0.1};
         scenario.optimizer.momentum = 0;
         scenario.iterations = 12;
       }},
  };
  return kVariants;
}

Scenario scenario_of(const Case& example) {
  Scenario scenario;
  scenario.name = "same_bits";
  scenario.model.name = "mnist_cnn";
  scenario.data.name = "synthetic";
  scenario.batch_size = 8;
  scenario.optimizer = {
      .name = "sgd", .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-4};
  scenario.iterations = 6;
  scenario.algorithm.name = example.algorithm;
  scenario.algorithm.bucket_bytes = 20'000;  // several buckets
  scenario.workers = example.workers;
  scenario.threads = example.threads;
  scenario.seed = 7;
  if (!example.training.empty()) training_variants().at(example.training)(scenario);
  return scenario;
}

class SameBits : public testing::TestWithParam<Case> {};

TEST_P(SameBits, AsInTheLoopback) {
  const Scenario scenario = scenario_of(GetParam());
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.members())) {
    GTEST_SKIP() << "this world has no job of " << scenario.members();
  }
  const Experiment experiment = prepare_experiment(scenario, true, cpu_network(scenario.threads));
  std::vector<std::string> expected(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    expected[worker.group().rank] = run_member(experiment, worker).weights_hash;
  });
  for (const std::string& hash : expected) EXPECT_EQ(hash, expected[0]);
  EXPECT_EQ(expected[0].size(), 16U);

  world->run(scenario.members(), [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    EXPECT_EQ(result.weights_hash, expected[0]) << "rank " << worker.group().rank;
    if (worker.group().rank == 0) {
      EXPECT_LT(result.iterations.back().loss, result.iterations.front().loss);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, SameBits,
                         testing::Values(Case{"none", 1}, Case{"all_reduce", 1},
                                         Case{"all_reduce", 2}, Case{"all_reduce", 4},
                                         Case{"all_reduce", 2, 2}, Case{"parameter_server", 1},
                                         Case{"parameter_server", 2}, Case{"parameter_server", 3},
                                         Case{"parameter_server", 4}),
                         [](const auto& info) {
                           return info.param.algorithm + "_" + std::to_string(info.param.workers) +
                                  "x" + std::to_string(info.param.threads);
                         });

std::vector<Case> training_cases() {
  std::vector<Case> cases;
  for (const auto& variant : training_variants()) {
    for (const int workers : {1, 2, 3, 4, 7}) {
      cases.push_back({"all_reduce", workers, 1, variant.first});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Training, SameBits, testing::ValuesIn(training_cases()),
                         [](const auto& info) {
                           return info.param.training + "_" + std::to_string(info.param.workers);
                         });

}  // namespace
}  // namespace tandem
