// Algorithms whose result depends on who comes first, where that is the same every time: by
// simulated devices of different speeds. A training that goes on from a checkpoint ends with the
// same bits as one that was never stopped.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/training/experiment.h"
#include "tests/conformance/prepared.h"
#include "tests/core/training/checkpoint/saved_state.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kSavedAfter = 5;
constexpr int kIterations = 10;
constexpr int kWorkers = 3;

Scenario with(const std::string& algorithm, void (*change)(AlgorithmSpec&),
              int workers = kWorkers) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.optimizer = {.name = "adamw", .learning_rate = 0.002, .weight_decay = 0.01};
  scenario.iterations = kIterations;
  scenario.warmup_iterations = 0;
  scenario.workers = workers;
  scenario.algorithm.name = algorithm;
  scenario.algorithm.bucket_bytes = 20'000;
  scenario.algorithm.server_count = 2;
  change(scenario.algorithm);
  return scenario;
}

const std::map<std::string, Scenario>& cases() {
  static const std::map<std::string, Scenario> kCases = {
      {"asynchronous",
       with("parameter_server", [](AlgorithmSpec& a) { a.mode = ServerMode::kAsynchronous; })},
      {"stale", with("parameter_server",
                     [](AlgorithmSpec& a) {
                       a.mode = ServerMode::kStaleSynchronous;
                       a.staleness = 2;
                     })},
      {"downpour", with("parameter_server",
                        [](AlgorithmSpec& a) {
                          a.mode = ServerMode::kAsynchronous;
                          a.push_every = 3;
                          a.pull_every = 2;
                        })},
      {"backup", with("parameter_server", [](AlgorithmSpec& a) { a.backup_workers = 1; })},
      {"elastic", with("elastic_averaging", [](AlgorithmSpec& a) { a.local_steps = 2; })},
      // Of two active ones, which ask as they begin, the first would be chance.
      {"ad_psgd", with(
                      "ad_psgd", [](AlgorithmSpec&) {}, 2)},
  };
  return kCases;
}

/// Each computes at a speed of its own, far enough from the others' for messages' times, which are
/// not quite the same after a checkpoint was written, to change nothing.
MemberDevice device(int rank) {
  return {[rank](const Kernel& kernel, int) { return kernel.flops / 1e8 * (1 + 0.43 * rank); },
          [](std::size_t bytes) { return static_cast<double>(bytes) / 1e10; }};
}

void train(const Scenario& scenario, const fs::path& folder, std::optional<int> resume = {}) {
  Scenario saved = scenario;
  saved.checkpoint = {.every = kSavedAfter, .path = folder.string(), .resume = resume};
  Experiment experiment = prepared(saved);
  experiment.saves = true;
  JobOptions options;
  options.depth = Depth::kPayload;
  options.executor = ExecutorKind::kExact;
  for (int rank = 0; rank < scenario.members(); ++rank) options.devices.push_back(device(rank));
  run_job("star", scenario.members(), options,
          [&](Worker& worker, std::span<double>) { run_member(experiment, worker); });
}

class RestsInTime : public testing::TestWithParam<std::string> {
 protected:
  RestsInTime() : folder_(fs::path(testing::TempDir()) / ("rests_in_time_" + GetParam())) {
    fs::remove_all(folder_);
  }
  ~RestsInTime() override { fs::remove_all(folder_); }

  std::map<std::string, std::string> state_after(int iterations, const char* name) const {
    return saved_state(folder_ / name, iterations, cases().at(GetParam()));
  }

  fs::path folder_;
};

TEST_P(RestsInTime, EndAsIfNeverStopped) {
  const Scenario& scenario = cases().at(GetParam());
  train(scenario, folder_ / "whole");
  fs::create_directories(folder_ / "half");
  fs::copy(checkpoint_path(folder_ / "whole", kSavedAfter),
           checkpoint_path(folder_ / "half", kSavedAfter), fs::copy_options::recursive);
  train(scenario, folder_ / "half", kSavedAfter);
  const auto expected = state_after(kIterations, "whole");
  EXPECT_GT(expected.size(), 5U);
  EXPECT_FALSE(state_after(kSavedAfter, "whole") == expected);
  const auto resumed = state_after(kIterations, "half");
  for (const auto& [name, bytes] : expected) {
    ASSERT_TRUE(resumed.contains(name)) << name;
    EXPECT_TRUE(resumed.at(name) == bytes) << name;
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& [name, scenario] : cases()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, RestsInTime, testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tandem
