// The strategies that average weights: what they send, against the closed forms, and what they make
// of the weights, where gradients are known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/record/recorder.h"
#include "core/strategies/strategy.h"
#include "tests/core/strategies/walk.h"

namespace tandem {
namespace {

/// One worker before its strategy's finish(): bytes, and how far its first weight has come down.
struct Before {
  Traffic traffic;
  double descent = 0;
};

struct Outcome {
  std::vector<Before> before;  ///< by rank
  std::vector<double> final_descents;
};

Scenario scenario_of(const std::string& algorithm, int workers) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 1;
  scenario.optimizer.learning_rate = 1;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  return scenario;
}

/// Runs the strategies without a network: each gradient is the rank's number plus one.
Outcome train(const Scenario& scenario, int iterations) {
  const LayerGraph graph = build_model("mnist_cnn");
  Outcome outcome{std::vector<Before>(scenario.workers), std::vector<double>(scenario.workers)};
  run_loopback(scenario.workers, [&](Worker& worker) {
    const int rank = worker.group().rank;
    Replica replica(scenario, graph, worker);
    const float first = replica.parameters.view().floats()[0];
    const auto descent = [&] { return first - replica.parameters.view().floats()[0]; };
    const std::unique_ptr<Strategy> strategy = make_strategy(replica);
    strategy->begin_leg({.first = 0, .end = iterations});
    for (int i = 0; i < iterations; ++i) {
      replica.begin_step();
      strategy->begin_iteration();
      for (float& gradient : replica.gradients.view().floats()) {
        gradient = static_cast<float>(rank + 1);
      }
      strategy->poll();
      for (int layer = static_cast<int>(graph.layers().size()) - 1; layer > 0; --layer) {
        strategy->gradient_ready(layer);
      }
      strategy->end_iteration();
    }
    outcome.before[rank] = {worker.record().traffic(), descent()};
    strategy->end_leg();
    strategy->finish();
    outcome.final_descents[rank] = descent();
  });
  return outcome;
}

double mean_descent(const Outcome& outcome) {
  double sum = 0;
  for (const Before& worker : outcome.before) sum += worker.descent;
  return sum / static_cast<double>(outcome.before.size());
}

class Averaging : public testing::TestWithParam<int> {
 protected:
  int workers() const { return GetParam(); }
  Scenario scenario(const std::string& algorithm) const {
    return scenario_of(algorithm, workers());
  }
  double mean_gradient() const { return (workers() + 1) / 2.0; }
};

TEST_P(Averaging, APairwisePassMovesTheModelOnceEachWay) {
  Scenario scenario = this->scenario("pairwise_averaging");
  for (const int passes : {1, 2, 3}) {
    scenario.algorithm.passes = passes;
    const int iterations = workers();  // so that all have sat out equally often
    const Outcome outcome = train(scenario, iterations);
    const std::uint64_t all = static_cast<std::uint64_t>(passes) * iterations;
    const std::uint64_t sat_out = workers() % 2 == 1 ? static_cast<std::uint64_t>(passes) : 0;
    for (const Before& worker : outcome.before) {
      EXPECT_EQ(worker.traffic.sent_bytes, (all - sat_out) * kModelBytes) << passes;
      EXPECT_EQ(worker.traffic.received_bytes, (all - sat_out) * kModelBytes) << passes;
    }
  }
}

TEST_P(Averaging, AllPassesAreAnAllReduce) {
  Scenario scenario = this->scenario("pairwise_averaging");
  scenario.algorithm.passes.reset();
  const Outcome outcome = train(scenario, 3);
  const double expected = 3 * 2.0 * (workers() - 1) / workers() * static_cast<double>(kModelBytes);
  for (const Before& worker : outcome.before) {
    EXPECT_NEAR(static_cast<double>(worker.traffic.sent_bytes), expected, 100);
    EXPECT_NEAR(worker.descent, 3 * mean_gradient(), 1e-4);
  }
}

TEST_P(Averaging, AGossipPushMovesTheModelAndItsWeightOneWay) {
  const Outcome outcome = train(scenario("sgp"), 5);
  const std::uint64_t expected = workers() > 1 ? 5 * (kModelBytes + 4) : 0;
  for (const Before& worker : outcome.before) {
    EXPECT_EQ(worker.traffic.sent_bytes, expected);
    EXPECT_EQ(worker.traffic.received_bytes, expected);
  }
}

TEST_P(Averaging, AnActiveWorkerExchangesTheModelOnceAnIteration) {
  const Outcome outcome = train(scenario("ad_psgd"), 6);
  const int actives = (workers() + 1) / 2;
  std::uint64_t passive_bytes = 0;
  for (int rank = 0; rank < workers(); ++rank) {
    const Traffic& traffic = outcome.before[rank].traffic;
    if (rank % 2 == 1) continue;
    EXPECT_EQ(traffic.sent_bytes, workers() > 1 ? 6 * kModelBytes : 0);
    EXPECT_EQ(traffic.received_bytes, traffic.sent_bytes);
    passive_bytes += traffic.sent_bytes;
  }
  EXPECT_EQ(passive_bytes, workers() > 1 ? 6 * actives * kModelBytes : 0);
}

TEST_P(Averaging, LocalSgdAveragesOnceInItsLocalSteps) {
  Scenario scenario = this->scenario("local_sgd");
  scenario.algorithm.local_steps = 4;
  const Outcome outcome = train(scenario, 11);  // averages twice, and at the end
  const double once = 2.0 * (workers() - 1) / workers() * static_cast<double>(kModelBytes);
  for (int rank = 0; rank < workers(); ++rank) {
    const Before& worker = outcome.before[rank];
    EXPECT_NEAR(static_cast<double>(worker.traffic.sent_bytes), 2 * once, 100);
    EXPECT_NEAR(worker.descent, 8 * mean_gradient() + 3 * (rank + 1), 1e-3);
  }
}

TEST_P(Averaging, KeepsTheMeanAndEndsWithItOnAllWorkers) {
  for (const char* algorithm : {"pairwise_averaging", "ad_psgd", "sgp", "local_sgd"}) {
    Scenario scenario = this->scenario(algorithm);
    scenario.algorithm.passes = 2;
    scenario.algorithm.local_steps = 3;
    const Outcome outcome = train(scenario, 7);
    for (const double descent : outcome.final_descents) {
      EXPECT_NEAR(descent, 7 * mean_gradient(), 1e-3) << algorithm;
      EXPECT_EQ(descent, outcome.final_descents[0]) << algorithm;
    }
    if (std::string(algorithm) != "ad_psgd") {  // there, one may still be answering
      EXPECT_NEAR(mean_descent(outcome), 7 * mean_gradient(), 1e-3) << algorithm;
    }
  }
}

TEST_P(Averaging, AnOuterStepOfRateOneWithoutMomentumIsTheAverage) {
  Scenario scenario = this->scenario("local_sgd");
  scenario.algorithm.local_steps = 2;
  scenario.algorithm.outer = {.learning_rate = 1, .momentum = 0};
  for (const double descent : train(scenario, 6).final_descents) {
    EXPECT_NEAR(descent, 6 * mean_gradient(), 1e-3);
  }
}

TEST_P(Averaging, OuterStepsAreNesterovs) {
  Scenario scenario = this->scenario("local_sgd");
  scenario.algorithm.local_steps = 2;
  scenario.algorithm.outer = {.learning_rate = 0.5, .momentum = 0.5};
  // With g = 2 mean gradients: v = g, 1.5 g, 1.75 g; steps are 0.5 (g + 0.5 v).
  const double expected = 0.5 * (3 + 0.5 * (1 + 1.5 + 1.75)) * 2 * mean_gradient();
  for (const double descent : train(scenario, 6).final_descents) {
    EXPECT_NEAR(descent, expected, 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Averaging, testing::Values(1, 2, 3, 4, 7));

std::vector<double> descents(const Scenario& scenario, int iterations) {
  std::vector<double> descents;
  for (const Before& worker : train(scenario, iterations).before) {
    descents.push_back(std::round(worker.descent * 1e4) / 1e4);
  }
  return descents;
}

// Five workers, gradients 1, 2, 3, 4, 5: in round 0 meet 1 and 4, 2 and 3; in round 1, 0 and 1, 2
// and 4.
TEST(PairwiseAveraging, AveragesWithThePartnersOfTheTournament) {
  Scenario scenario = scenario_of("pairwise_averaging", 5);
  EXPECT_THAT(descents(scenario, 1), testing::ElementsAre(1, 3.5, 3.5, 3.5, 3.5));
  scenario.algorithm.passes = 2;
  EXPECT_THAT(descents(scenario, 1), testing::ElementsAre(2.25, 2.25, 3.5, 3.5, 3.5));
}

// Four workers, gradients 1, 2, 3, 4: first from the rank before, then from two before.
TEST(Sgp, AddsHalfOfWhatThePeersOfTheExponentialGraphPush) {
  const Scenario scenario = scenario_of("sgp", 4);
  EXPECT_THAT(descents(scenario, 1), testing::ElementsAre(2.5, 1.5, 2.5, 3.5));
  EXPECT_THAT(descents(scenario, 2), testing::ElementsAre(4.5, 5.5, 4.5, 5.5));
}

}  // namespace
}  // namespace tandem
