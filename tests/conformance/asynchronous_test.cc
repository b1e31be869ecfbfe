// Algorithms whose result depends on who comes first: in every world they run to the end, train,
// leave no message over, and all members end with the same weights.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/training/experiment.h"
#include "tests/conformance/gather_hashes.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

constexpr int kIterations = 16;

struct Case {
  std::string name;
  AlgorithmSpec algorithm;
  double learning_rate = 0.02;  ///< a server takes N steps where a worker by itself takes one
};

AlgorithmSpec server(ServerMode mode, int servers, int push_every, int pull_every) {
  AlgorithmSpec spec;
  spec.name = "parameter_server";
  spec.mode = mode;
  spec.server_count = servers;
  spec.push_every = push_every;
  spec.pull_every = pull_every;
  return spec;
}

std::vector<Case> cases() {
  std::vector<Case> cases = {
      {"asynchronous", server(ServerMode::kAsynchronous, 1, 1, 1)},
      {"asynchronous_2_servers", server(ServerMode::kAsynchronous, 2, 1, 1)},
      {"downpour", server(ServerMode::kAsynchronous, 1, 4, 3)},
      {"stale", server(ServerMode::kStaleSynchronous, 1, 1, 1)},
      {"stale_in_step", server(ServerMode::kStaleSynchronous, 2, 1, 1)},
      {"backup", server(ServerMode::kSynchronous, 2, 1, 1)},
      {"late_pull", server(ServerMode::kAsynchronous, 1, 1, 1)},
      {"elastic", {}},
      {"elastic_2_servers", {}},
  };
  cases[1].algorithm.priority = false;
  cases[4].algorithm.staleness = 0;
  cases[5].algorithm.backup_workers = 1;
  cases[6].algorithm.early_pull = false;
  for (std::size_t i = 7; i < cases.size(); ++i) {
    cases[i].algorithm.name = "elastic_averaging";
    cases[i].algorithm.local_steps = 3;
    cases[i].algorithm.server_count = static_cast<int>(i) - 6;
    cases[i].learning_rate = 0.1;
  }
  return cases;
}

Scenario scenario_of(const Case& example, int workers) {
  Scenario scenario;
  scenario.name = example.name;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.optimizer.learning_rate = example.learning_rate;
  scenario.iterations = kIterations;
  scenario.warmup_iterations = 0;
  scenario.algorithm = example.algorithm;
  scenario.algorithm.bucket_bytes = 20'000;  // several buckets
  scenario.workers = workers;
  return scenario;
}

/// By how much the losses of the second half are below those of the first, on average; 0 of a
/// server, which has none.
double fall_of_loss(const MemberResult& result) {
  double fall = 0;
  for (int i = 0; i < kIterations; ++i) {
    const double share = result.iterations[i].loss.value_or(0) / (kIterations / 2);
    fall += i < kIterations / 2 ? share : -share;
  }
  return fall;
}

class Asynchronous : public testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(Asynchronous, RunsToTheEndAndLeavesNothingOver) {
  const auto [example, workers] = GetParam();
  const Scenario scenario = scenario_of(example, workers);
  if (scenario.algorithm.backup_workers >= workers) GTEST_SKIP() << "no worker to spare";
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.members())) {
    GTEST_SKIP() << "this world has no job of " << scenario.members();
  }
  const Experiment experiment = prepared(scenario);
  world->run(scenario.members(), [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    EXPECT_EQ(result.iterations.size(), static_cast<std::size_t>(kIterations));
    const auto hashes = gather_hashes(worker, result.weights_hash);
    const auto falls = gather_hashes(worker, fmt::format("{:+012.8f}", fall_of_loss(result)));
    if (worker.group().rank > 0) return;
    // Of all: one that is through before others begin learns little.
    double fall = 0;
    for (const std::string& each : falls) fall += std::stod(each);
    EXPECT_GT(fall, 0);
    for (int peer = 1; peer < scenario.workers; ++peer) EXPECT_EQ(hashes[peer], hashes[0]) << peer;
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, Asynchronous,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Values(1, 2, 3, 4, 7)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace tandem
