#include "core/strategies/strategy.h"

#include <gtest/gtest.h>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/scenario/algorithms.h"

namespace tandem {
namespace {

TEST(Strategy, EveryAlgorithmHasOne) {
  for (const AlgorithmInfo& info : known_algorithms()) {
    Scenario scenario;
    scenario.model.name = "mnist_cnn";
    scenario.algorithm.name = info.name;
    const LayerGraph graph = build_model("mnist_cnn");
    run_loopback(1, [&](Worker& worker) {
      Replica replica(scenario, graph, worker);
      EXPECT_NE(make_strategy(replica), nullptr) << info.name;
    });
  }
}

TEST(Strategy, DecidesByTimeWhereNeighboursAreMetAtAnyTime) {
  Scenario scenario;
  scenario.algorithm.name = "ad_psgd";
  EXPECT_TRUE(decides_by_time(scenario));
  scenario.algorithm.name = "parameter_server";
  EXPECT_FALSE(decides_by_time(scenario));
}

}  // namespace
}  // namespace tandem
