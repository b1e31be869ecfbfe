// One algorithm layer, so one result: with the same seed, synchronous strategies end with the same
// weights, bit for bit, in every world. The loopback is the reference.

#include <gtest/gtest.h>

#include <map>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "tests/conformance/gather_hashes.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

struct Case {
  std::string algorithm;
  int workers;
  int threads = 1;
  std::string training = {};  ///< one of training_variants(), or as scenario_of() has it
  std::string collective = "ring";
  int servers = 1;
  Placement placement = Placement::kDedicated;
  bool early_pull = true;
  bool pull_overlap = true;
  bool priority = true;
};

ModelSpec normalised_model() {
  const auto layer = [](const char* name, LayerKind kind, LayerOptions options) {
    return LayerSpec{name, kind, options, {}};
  };
  const LayerOptions convolution{
      .outputs = 6, .kernel_height = 3, .kernel_width = 3, .bias = false};
  return {.name = "normalised",
          .input = Shape{1, 12, 12},
          .classes = {},
          .layers = {layer("convolution", LayerKind::kConvolution, convolution),
                     layer("norm", LayerKind::kBatchNorm, {}), layer("relu", LayerKind::kRelu, {}),
                     layer("scores", LayerKind::kLinear, {.outputs = 5})}};
}

void make_gpt(Scenario& scenario) {
  scenario.model.name = "gpt";
  scenario.model.transformer = {
      .layers = 2, .width = 16, .heads = 2, .vocabulary = 11, .sequence = 8};
  scenario.optimizer = {.name = "adamw", .learning_rate = 0.01};
  scenario.algorithm.bucket_bytes = 4000;
}

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
      {"lamb",
       [](Scenario& scenario) {
         scenario.optimizer = {.name = "lamb", .learning_rate = 0.03, .weight_decay = 0.01};
         scenario.iterations = 12;
       }},
      {"prefetch", [](Scenario& scenario) { scenario.data.prefetch = 2; }},
      {"synchronized_norms",
       [](Scenario& scenario) {
         scenario.model = normalised_model();
         scenario.synchronize_batch_norm = true;
         scenario.backward_passes_per_step = 2;
       }},
      {"schedule",
       [](Scenario& scenario) {
         scenario.optimizer.nesterov = true;
         scenario.iterations = 12;
         scenario.learning_rate_schedule = {
             .name = "cosine", .warmup_steps = 2, .linear_scaling = true};
       }},
      {"gpt", make_gpt},
      {"gpt_zero",
       [](Scenario& scenario) {
         make_gpt(scenario);
         scenario.algorithm.name = "zero";
         scenario.algorithm.stage = 3;
       }},
      {"evaluated", [](Scenario& scenario) { scenario.evaluate_every = 3; }},
      {"pairwise_averaging",
       [](Scenario& scenario) {
         scenario.algorithm.name = "pairwise_averaging";
         scenario.algorithm.passes = 2;
       }},
      {"pairwise_averaging_all",
       [](Scenario& scenario) {
         scenario.algorithm.name = "pairwise_averaging";
         scenario.algorithm.passes.reset();
       }},
      {"sgp", [](Scenario& scenario) { scenario.algorithm.name = "sgp"; }},
      {"local_sgd",
       [](Scenario& scenario) {
         scenario.algorithm.name = "local_sgd";
         scenario.algorithm.local_steps = 3;
       }},
      {"local_sgd_outer",
       [](Scenario& scenario) {
         scenario.algorithm.name = "local_sgd";
         scenario.algorithm.local_steps = 2;
         scenario.algorithm.outer = {.learning_rate = 0.7, .momentum = 0.9};
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

/// Of a network on which `auto` takes more than one algorithm for this model's buckets.
NetworkFigures figures_of(int workers, const AllReduceOptions& options) {
  const std::size_t patterns = figure_patterns(workers, options).size();
  return network_figures(std::vector<LinkFigures>(patterns, {20e-6, 1e9}), options, 1e10);
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
  scenario.algorithm.collective = example.collective;
  scenario.algorithm.options = {.segment_bytes = 8000, .node_size = 2};
  scenario.algorithm.network = figures_of(example.workers, scenario.algorithm.options);
  scenario.algorithm.server_count = example.servers;
  scenario.algorithm.placement = example.placement;
  scenario.algorithm.early_pull = example.early_pull;
  scenario.algorithm.pull_overlap = example.pull_overlap;
  scenario.algorithm.priority = example.priority;
  scenario.workers = example.workers;
  scenario.threads = example.threads;
  scenario.seed = 7;
  if (!example.training.empty()) training_variants().at(example.training)(scenario);
  return scenario;
}

/// What has to be the same in every world: the weights, and the bytes sent and received for them.
/// Where a real run evaluates in between, its workers wait for each other by messages that a
/// simulation needs not.
std::string fingerprint(const Scenario& scenario, const MemberResult& result) {
  const Traffic traffic = scenario.evaluate_every ? Traffic{} : result.traffic;
  return fmt::format("{} sent {:12} received {:12}", result.weights_hash, traffic.sent_bytes,
                     traffic.received_bytes);
}

/// Of each member, in the loopback.
std::vector<std::string> reference(const Experiment& experiment) {
  const Scenario& scenario = experiment.scenario;
  std::vector<std::string> hashes(scenario.members()), fingerprints(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    hashes[worker.group().rank] = result.weights_hash;
    fingerprints[worker.group().rank] = fingerprint(scenario, result);
  });
  const bool all_hold_all = scenario.algorithm.servers() <= 1;  // several have a shard each
  for (int rank = 0; rank < (all_hold_all ? scenario.members() : scenario.workers); ++rank) {
    EXPECT_EQ(hashes[rank], hashes[0]);
  }
  EXPECT_EQ(hashes[0].size(), 16U);
  return fingerprints;
}

class SameBits : public testing::TestWithParam<Case> {};

TEST_P(SameBits, AsInTheLoopback) {
  const Scenario scenario = scenario_of(GetParam());
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.members())) {
    GTEST_SKIP() << "this world has no job of " << scenario.members();
  }
  const Experiment experiment = prepared(scenario);
  const auto expected = world->has_first() ? reference(experiment) : std::vector<std::string>{};
  const auto check = [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    const auto fingerprints = gather_hashes(worker, fingerprint(scenario, result));
    if (worker.group().rank > 0) return;
    EXPECT_EQ(fingerprints, expected);
    EXPECT_LT(result.iterations.back().loss, result.iterations.front().loss);
  };
  world->run(scenario.members(), check, scenario.hosts());
}

std::vector<Case> cases() {
  std::vector<Case> cases = {{"none", 1}, {"all_reduce", 2, 2}};
  for (const int workers : {1, 2, 3, 4, 7}) {
    cases.push_back({"all_reduce", workers});
    for (const int servers : {1, 2}) {
      for (const Placement placement : {Placement::kDedicated, Placement::kWorkers}) {
        cases.push_back({.algorithm = "parameter_server",
                         .workers = workers,
                         .servers = servers,
                         .placement = placement});
      }
    }
  }
  for (const bool priority : {false, true}) {
    cases.push_back({.algorithm = "parameter_server",
                     .workers = 3,
                     .servers = 2,
                     .early_pull = false,
                     .priority = priority});
  }
  cases.push_back({.algorithm = "parameter_server", .workers = 3, .servers = 2, .priority = false});
  cases.push_back(
      {.algorithm = "parameter_server", .workers = 3, .servers = 2, .pull_overlap = false});
  return cases;
}

std::string name_of(const Case& example) {
  std::string name = example.algorithm + "_" + std::to_string(example.workers) + "x" +
                     std::to_string(example.threads);
  if (example.algorithm != "parameter_server") return name;
  return name + "_" + std::to_string(example.servers) + "_" + to_string(example.placement) +
         (example.early_pull ? "" : "_late_pull") +
         (example.pull_overlap ? "" : "_no_pull_overlap") +
         (example.priority ? "" : "_no_priority");
}

INSTANTIATE_TEST_SUITE_P(Strategies, SameBits, testing::ValuesIn(cases()),
                         [](const auto& info) { return name_of(info.param); });

// A server sees no whole gradient, and keeps weights in float32.
bool is_one_for_servers(const std::string& training) {
  return training == "accumulation" || training == "adamw" || training == "schedule";
}

std::vector<Case> collective_cases() {
  std::vector<std::string> names = all_reduce_names();
  names.push_back("auto");
  std::vector<Case> cases;
  for (const std::string& name : names) {
    for (const int workers : {1, 2, 3, 4, 7}) {
      cases.push_back({.algorithm = "all_reduce", .workers = workers, .collective = name});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Collectives, SameBits, testing::ValuesIn(collective_cases()),
                         [](const auto& info) {
                           return info.param.collective + "_" + std::to_string(info.param.workers);
                         });

std::vector<Case> training_cases() {
  std::vector<Case> cases;
  for (const auto& variant : training_variants()) {
    for (const int workers : {1, 2, 3, 4, 7}) {
      cases.push_back({"all_reduce", workers, 1, variant.first});
      if (is_one_for_servers(variant.first)) {
        cases.push_back({.algorithm = "parameter_server",
                         .workers = workers,
                         .training = variant.first,
                         .servers = 2});
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Training, SameBits, testing::ValuesIn(training_cases()),
                         [](const auto& info) {
                           return info.param.training + "_" + name_of(info.param);
                         });

}  // namespace
}  // namespace tandem
