// Algorithms whose result depends on who comes first: in every world they run to the end, train,
// leave no message over, and all members end with the same weights.

#include <gtest/gtest.h>

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

template <typename Iterator>
double mean_loss(Iterator first, Iterator last) {
  double sum = 0;
  for (Iterator i = first; i != last; ++i) sum += *i->loss;
  return sum / static_cast<double>(last - first);
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
    if (worker.group().rank > 0) return;
    const auto middle = result.iterations.begin() + kIterations / 2;
    EXPECT_LT(mean_loss(middle, result.iterations.end()),
              mean_loss(result.iterations.begin(), middle));
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
