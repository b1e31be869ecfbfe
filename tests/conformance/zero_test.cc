// Every stage of ZeRO is the same training: in every world it ends with the weights, bit for bit,
// of stage 0 in the loopback.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "tests/conformance/gather_hashes.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

struct Case {
  int workers;
  int stage;
  bool overlap = true;
  int prefetch = 1;
  std::string training = "";  ///< one of training_variants()
};

/// What a stage has to agree about besides.
const std::map<std::string, void (*)(Scenario&)>& training_variants() {
  static const std::map<std::string, void (*)(Scenario&)> kVariants = {
      {"clipped_and_accumulated",
       [](Scenario& s) {
         s.clip_norm = 0.01;
         s.backward_passes_per_step = 2;
       }},
      {"lamb", [](Scenario& s) { s.optimizer.name = "lamb"; }},
      {"fp16", [](Scenario& s) { s.precision.name = "fp16"; }},
      {"bf16_clipped", [](Scenario& s) {
         s.precision.name = "bf16";
         s.clip_norm = 0.01;
       }}};
  return kVariants;
}

Scenario scenario_of(const Case& example) {
  Scenario scenario;
  scenario.name = "zero";
  scenario.model.name = "mnist_cnn";
  scenario.data.name = "synthetic";
  scenario.batch_size = 4;
  scenario.optimizer.name = "adamw";  // two states a parameter
  scenario.optimizer.weight_decay = 0.01;
  scenario.iterations = 3;
  scenario.algorithm.name = "zero";
  scenario.algorithm.stage = example.stage;
  scenario.algorithm.bucket_bytes = 5'000;  // three layer groups, of one and of two layers
  scenario.algorithm.overlap = example.overlap;
  scenario.algorithm.prefetch = example.prefetch;
  scenario.workers = example.workers;
  scenario.seed = 11;
  if (!example.training.empty()) training_variants().at(example.training)(scenario);
  return scenario;
}

/// In the loopback.
std::string hash_of_stage_zero(int workers, const std::string& training) {
  static std::map<std::pair<int, std::string>, std::string> known;
  std::string& hash = known[{workers, training}];
  if (!hash.empty()) return hash;
  const Scenario scenario = scenario_of({.workers = workers, .stage = 0, .training = training});
  const Experiment experiment = prepared(scenario);
  run_loopback(workers, [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    if (worker.group().rank == 0) hash = result.weights_hash;
  });
  return hash;
}

class ZeroStages : public testing::TestWithParam<Case> {};

TEST_P(ZeroStages, EndWithTheBitsOfStageZero) {
  const Scenario scenario = scenario_of(GetParam());
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.workers)) {
    GTEST_SKIP() << "this world has no job of " << scenario.workers;
  }
  std::vector<std::string> expected;
  if (world->has_first()) {
    expected.assign(scenario.workers, hash_of_stage_zero(scenario.workers, GetParam().training));
    ASSERT_EQ(expected[0].size(), 16U);
  }
  const Experiment experiment = prepared(scenario);
  world->run(scenario.workers, [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    const auto hashes = gather_hashes(worker, result.weights_hash);
    if (worker.group().rank > 0) return;
    EXPECT_EQ(hashes, expected);
  });
}

std::vector<Case> cases() {
  std::vector<Case> cases;
  for (const int workers : {1, 2, 3, 4, 7}) {
    for (const int stage : {0, 1, 2, 3}) cases.push_back({workers, stage});
  }
  for (const int stage : {1, 2, 3}) cases.push_back({3, stage, false, 0});
  cases.push_back({3, 3, true, 0});
  cases.push_back({3, 3, true, 9});
  for (const auto& variant : training_variants()) {
    for (const int workers : {1, 2, 3, 4, 7}) {
      for (const int stage : {1, 2, 3}) cases.push_back({workers, stage, true, 1, variant.first});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(, ZeroStages, testing::ValuesIn(cases()), [](const auto& info) {
  const Case& c = info.param;
  return std::to_string(c.workers) + "_workers_stage_" + std::to_string(c.stage) +
         (c.overlap ? "" : "_alone") + "_prefetch_" + std::to_string(c.prefetch) +
         (c.training.empty() ? "" : "_" + c.training);
});

}  // namespace
}  // namespace tandem
