// Asynchronous averaging has no bits to compare between worlds; in every world it trains to
// its end, its members agree on the final weights, and no message is left behind.

#include <gtest/gtest.h>

#include "core/collectives/ring.h"
#include "core/training/experiment.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

struct Case {
  std::string algorithm;
  int workers;
};

Scenario scenario_of(const Case& example) {
  Scenario scenario;
  scenario.name = "gossip";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 8;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.05, .momentum = 0.5};
  scenario.iterations = 64;
  scenario.evaluate_every = 32;
  scenario.algorithm.name = example.algorithm;
  scenario.workers = example.workers;
  scenario.seed = 7;
  return scenario;
}

/// The sum of everybody's `number`, exact for small whole ones.
float sum_over_members(Worker& worker, float number) {
  const Buffer sum = worker.allocate(1, DType::kFloat32);
  sum.view().floats()[0] = number;
  Handle summed =
      worker.start(ring_all_reduce(worker.group().size, worker.group().rank, 1), sum.view());
  worker.wait(summed);
  return sum.view().floats()[0];
}

/// The same number on all members for the same hash.
float fingerprint(const std::string& hash) {
  return static_cast<float>(std::stoul(hash.substr(0, 4), nullptr, 16));
}

class Gossip : public testing::TestWithParam<Case> {};

TEST_P(Gossip, EndsWithOneModelAndNoMessageLeftOver) {
  const Scenario scenario = scenario_of(GetParam());
  const std::unique_ptr<World> world = make_world();
  if (!world->supports(scenario.members())) {
    GTEST_SKIP() << "this world has no job of " << scenario.members();
  }
  const Experiment experiment = prepared(scenario);
  world->run(scenario.members(), [&](Worker& worker) {
    const MemberResult result = run_member(experiment, worker);
    const Traffic& traffic = result.traffic;
    EXPECT_EQ(sum_over_members(worker, static_cast<float>(traffic.sent_messages)),
              sum_over_members(worker, static_cast<float>(traffic.received_messages)));
    const float mine = fingerprint(result.weights_hash);
    EXPECT_EQ(sum_over_members(worker, mine), mine * static_cast<float>(worker.group().size));
    if (worker.group().rank == 0) {
      ASSERT_EQ(result.evaluations.size(), 3U);
      // One iteration's loss depends on who came first; a tenth is what guessing reaches.
      EXPECT_GT(result.evaluations.back().accuracy, 0.5);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Strategies, Gossip,
                         testing::Values(Case{"ad_psgd", 1}, Case{"ad_psgd", 2}, Case{"ad_psgd", 3},
                                         Case{"ad_psgd", 4}, Case{"ad_psgd", 7}),
                         [](const auto& info) {
                           return info.param.algorithm + "_" + std::to_string(info.param.workers);
                         });

}  // namespace
}  // namespace tandem
