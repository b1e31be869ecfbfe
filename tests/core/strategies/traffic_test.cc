// What each strategy sends, counted by the loopback, against the closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/comm/elementwise.h"
#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/record/recorder.h"
#include "core/strategies/strategy.h"
#include "tests/core/strategies/walk.h"

namespace tandem {
namespace {

constexpr int kIterations = 3;

void fill(View view, float number) {
  const Buffer numbers = make_host_buffer(view.elements, DType::kFloat32);
  std::ranges::fill(numbers.view().floats(), number);
  convert(view, numbers.view());
}

/// A worker without a network: all its gradients are `gradient`.
void train(Replica& replica, const LayerGraph& graph, float gradient) {
  const std::unique_ptr<Strategy> strategy = make_strategy(replica);
  strategy->begin_leg({.first = 0, .end = kIterations});
  const int layers = static_cast<int>(graph.layers().size());
  for (int i = 0; i < kIterations; ++i) {
    replica.begin_step();
    strategy->begin_iteration();
    for (int layer = 1; layer < layers; ++layer) strategy->before_forward(layer);
    fill(replica.gradients.view(), gradient);
    for (int layer = layers - 1; layer > 0; --layer) strategy->gradient_ready(layer);
    strategy->end_iteration();
  }
  strategy->end_leg();
  strategy->finish();
}

/// Runs the strategies without a network: gradients are set to the rank's number plus one.
std::vector<Traffic> traffic_of(const Scenario& scenario,
                                std::vector<std::vector<float>>* weights) {
  const LayerGraph graph = build_model("mnist_cnn");
  std::vector<Traffic> traffic(scenario.members());
  weights->resize(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    const int rank = worker.group().rank;
    const auto keep = [&](const View& held) {
      const auto floats = held.floats();
      (*weights)[rank].assign(floats.begin(), floats.end());
    };
    if (is_server(scenario, rank)) {
      Checkpoints none(scenario, worker, false, kIterations, 0);
      keep(serve(scenario, graph, worker, kIterations, none).view());
    } else {
      Replica replica(scenario, graph, worker);
      train(replica, graph, static_cast<float>(rank + 1));
      keep(replica.weights());
    }
    traffic[rank] = worker.record().traffic();
  });
  return traffic;
}

Scenario scenario_of(const std::string& algorithm, int workers, bool overlap) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 1;
  scenario.optimizer.learning_rate = 1;
  scenario.algorithm.name = algorithm;
  scenario.algorithm.bucket_bytes = 0;
  scenario.algorithm.overlap = overlap;
  scenario.workers = workers;
  return scenario;
}

std::vector<float> initial_weights(const Scenario& scenario) {
  std::vector<float> weights(kModelBytes / 4);
  initialize_parameters(build_model("mnist_cnn"), scenario.seed, weights);
  return weights;
}

class StrategyTraffic : public testing::TestWithParam<bool> {};

TEST_P(StrategyTraffic, RingSendsTwoTimesNMinusOneOverNOfTheModelAWorker) {
  for (const int workers : {1, 2, 3, 5}) {
    std::vector<std::vector<float>> weights;
    const auto traffic = traffic_of(scenario_of("all_reduce", workers, GetParam()), &weights);
    const double expected =
        2.0 * (workers - 1) / workers * static_cast<double>(kModelBytes) * kIterations;
    for (const Traffic& t : traffic) {
      EXPECT_NEAR(static_cast<double>(t.sent_bytes), expected, 100 * kIterations) << workers;
      EXPECT_NEAR(static_cast<double>(t.received_bytes), expected, 100 * kIterations) << workers;
    }
  }
}

TEST_P(StrategyTraffic, RingSendsHalfOfThatIn16Bits) {
  for (const char* precision : {"fp16", "bf16"}) {
    Scenario scenario = scenario_of("all_reduce", 5, GetParam());
    scenario.precision = {.name = precision, .loss_scale = {.initial = 1}};
    std::vector<std::vector<float>> weights;
    for (const Traffic& t : traffic_of(scenario, &weights)) {
      EXPECT_NEAR(static_cast<double>(t.sent_bytes),
                  2.0 * 4 / 5 * static_cast<double>(kModelBytes) / 2 * kIterations,
                  50 * kIterations);
    }
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << precision;
  }
}

TEST_P(StrategyTraffic, CompressionSendsItsClosedForm) {
  constexpr int kWorkers = 4;
  const LayerGraph graph = build_model("mnist_cnn");
  const auto elements = static_cast<double>(graph.parameter_elements());
  constexpr int kRank = 2;
  double factors = 0;
  for (const Layer& layer : graph.layers()) {
    for (const ParameterTensor& tensor : layer.parameters) {
      const bool is_matrix = tensor.name == "weight";
      const auto columns = static_cast<double>(tensor.fan_in);
      const auto size = static_cast<double>(tensor.elements);
      factors += is_matrix ? std::min(size, kRank * (size / columns + columns)) : size;
    }
  }
  const double ring = 2.0 * (kWorkers - 1) / kWorkers * kIterations;
  const std::map<std::string, double> expected = {
      {"fp16", ring * 2 * elements},
      {"bf16", ring * 2 * elements},
      {"top_k", (kWorkers - 1) * 8 * 0.05 * elements * kIterations},
      {"power_sgd", ring * 4 * factors}};
  for (const auto& [name, bytes] : expected) {
    Scenario scenario = scenario_of("all_reduce", kWorkers, GetParam());
    scenario.algorithm.compression = {.name = name, .ratio = 0.05, .rank = kRank};
    std::vector<std::vector<float>> weights;
    for (const Traffic& t : traffic_of(scenario, &weights)) {
      EXPECT_NEAR(static_cast<double>(t.sent_bytes), bytes, 200 * kIterations) << name;
      EXPECT_NEAR(static_cast<double>(t.received_bytes), bytes, 200 * kIterations) << name;
    }
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << name;
  }
}

// Two levels too: with M nodes of G, 2(G-1) M inside the nodes and 2(M-1) across are 2(MG - 1).
// Recursive doubling sends more, for fewer rounds.
TEST_P(StrategyTraffic, EveryOtherAllReduceSendsTwoTimesNMinusOneModelsInAll) {
  std::vector<std::string> names = all_reduce_names();
  std::erase(names, "recursive_doubling");
  names.push_back("auto");
  for (const std::string& collective : names) {
    Scenario scenario = scenario_of("all_reduce", 8, GetParam());
    scenario.algorithm.collective = collective;
    scenario.algorithm.options = {.segment_bytes = 1000, .node_size = 4};
    scenario.algorithm.network = network_figures(
        std::vector<LinkFigures>(figure_patterns(8, scenario.algorithm.options).size(), {0, 1e9}),
        scenario.algorithm.options, 1e10);
    std::vector<std::vector<float>> weights;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const Traffic& traffic : traffic_of(scenario, &weights)) {
      sent += traffic.sent_bytes;
      received += traffic.received_bytes;
    }
    EXPECT_EQ(sent, received) << collective;
    EXPECT_EQ(sent, 2 * 7 * kModelBytes * kIterations) << collective;
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << collective;
  }
}

TEST_P(StrategyTraffic, RecursiveDoublingSendsTheModelLogNTimes) {
  Scenario scenario = scenario_of("all_reduce", 8, GetParam());
  scenario.algorithm.collective = "recursive_doubling";
  std::vector<std::vector<float>> weights;
  for (const Traffic& traffic : traffic_of(scenario, &weights)) {
    EXPECT_EQ(traffic.sent_bytes, 3 * kModelBytes * kIterations);
    EXPECT_EQ(traffic.received_bytes, 3 * kModelBytes * kIterations);
  }
  for (const auto& others : weights) EXPECT_EQ(others, weights[0]);
}

TEST_P(StrategyTraffic, HalvingDoublingSendsTheModelTwiceMoreAPairBeyondAPowerOfTwo) {
  Scenario scenario = scenario_of("all_reduce", 7, GetParam());
  scenario.algorithm.collective = "halving_doubling";
  std::vector<std::vector<float>> weights;
  std::uint64_t sent = 0;
  for (const Traffic& traffic : traffic_of(scenario, &weights)) sent += traffic.sent_bytes;
  EXPECT_EQ(sent, (2 * 3 + 2 * 3) * kModelBytes * kIterations);  // 7 = 4 + 3
}

/// Every worker sends `pushes` models and receives `pulls`; the servers, which have the highest
/// ranks, in sum N times as many the other way.
void expect_traffic(const std::vector<Traffic>& traffic, std::uint64_t workers,
                    std::uint64_t pushes, std::uint64_t pulls) {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
    if (rank < workers) {
      EXPECT_EQ(traffic[rank].sent_bytes, kModelBytes * pushes);
      EXPECT_EQ(traffic[rank].received_bytes, kModelBytes * pulls);
    } else {
      sent += traffic[rank].sent_bytes;
      received += traffic[rank].received_bytes;
    }
  }
  EXPECT_EQ(sent, workers * kModelBytes * pulls);
  EXPECT_EQ(received, workers * kModelBytes * pushes);
}

// The last pull, after the last iteration, comes on top.
TEST_P(StrategyTraffic, ParameterServersSendTheModelToEveryWorkerAndTakeItsGradients) {
  for (const ServerMode mode :
       {ServerMode::kSynchronous, ServerMode::kAsynchronous, ServerMode::kStaleSynchronous}) {
    for (const int workers : {1, 2, 4}) {
      for (const int servers : {1, 2, 3}) {
        Scenario scenario = scenario_of("parameter_server", workers, GetParam());
        scenario.algorithm.mode = mode;
        scenario.algorithm.server_count = servers;
        scenario.algorithm.priority = servers != 2;
        scenario.algorithm.early_pull = servers != 3;
        std::vector<std::vector<float>> weights;
        expect_traffic(traffic_of(scenario, &weights), workers, kIterations, kIterations + 1);
      }
    }
  }
}

TEST_P(StrategyTraffic, GradientsOfBackupWorkersAreSentToo) {
  Scenario scenario = scenario_of("parameter_server", 3, GetParam());
  scenario.algorithm.backup_workers = 2;
  std::vector<std::vector<float>> weights;
  expect_traffic(traffic_of(scenario, &weights), 3, kIterations, kIterations + 1);
}

TEST_P(StrategyTraffic, DownpourPushesAndPullsLessOften) {
  Scenario scenario = scenario_of("parameter_server", 2, GetParam());
  scenario.algorithm.mode = ServerMode::kAsynchronous;
  scenario.algorithm.push_every = 2;
  scenario.algorithm.pull_every = 3;
  std::vector<std::vector<float>> weights;
  expect_traffic(traffic_of(scenario, &weights), 2, 2, 2);  // of 3 iterations
}

TEST_P(StrategyTraffic, ElasticAveragingMovesTheModelEachWayOnceInTau) {
  for (const int servers : {1, 2}) {
    Scenario scenario = scenario_of("elastic_averaging", 3, GetParam());
    scenario.algorithm.local_steps = 2;
    scenario.algorithm.server_count = servers;
    std::vector<std::vector<float>> weights;
    expect_traffic(traffic_of(scenario, &weights), 3, 2, 3);
  }
}

// Iterations 1 and 2 are pushed as one gradient of 2, iteration 3's is pushed in the end; before
// iterations 1 and 3 weights are pulled, after iteration 1 the worker steps by itself.
TEST_P(StrategyTraffic, ADownpourWorkerAloneEndsWhereSgdDoes) {
  Scenario scenario = scenario_of("parameter_server", 1, GetParam());
  scenario.algorithm.mode = ServerMode::kAsynchronous;
  scenario.algorithm.push_every = 2;
  scenario.algorithm.pull_every = 2;
  std::vector<std::vector<float>> weights;
  traffic_of(scenario, &weights);
  const std::vector<float> initial = initial_weights(scenario);
  for (std::size_t i = 0; i < initial.size(); i += 997) {
    EXPECT_NEAR(weights[0][i], initial[i] - kIterations, 1e-5);
  }
  EXPECT_EQ(weights[0], weights[1]);
}

// Algorithm 1 of the paper by hand, for one worker, a gradient of 1, rate 1, alpha 0.5 and tau 1.
TEST_P(StrategyTraffic, ElasticAveragingDrawsWorkerAndCentreTogether) {
  Scenario scenario = scenario_of("elastic_averaging", 1, GetParam());
  scenario.algorithm.local_steps = 1;
  scenario.algorithm.elasticity = 0.5;
  std::vector<std::vector<float>> weights;
  traffic_of(scenario, &weights);
  const std::vector<float> initial = initial_weights(scenario);
  float x = 0;
  float centre = 0;
  for (int i = 0; i < kIterations; ++i) {
    const float difference = x - centre;
    x = x - 0.5F * difference - 1;
    centre += 0.5F * difference;
  }
  for (std::size_t i = 0; i < initial.size(); i += 997) {
    EXPECT_NEAR(weights[1][i], initial[i] + centre, 1e-5);
  }
  EXPECT_EQ(weights[0], weights[1]);
}

TEST_P(StrategyTraffic, EveryoneEndsWithWeightsUpdatedFromTheAverage) {
  for (const char* algorithm : {"all_reduce", "parameter_server"}) {
    const Scenario scenario = scenario_of(algorithm, 3, GetParam());
    std::vector<std::vector<float>> weights;
    traffic_of(scenario, &weights);
    const std::vector<float> initial = initial_weights(scenario);
    for (std::size_t i = 0; i < initial.size(); i += 997) {
      EXPECT_NEAR(weights[0][i], initial[i] - 2.0F * kIterations, 1e-5);  // (1 + 2 + 3) / 3
    }
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Overlap, StrategyTraffic, testing::Bool());

}  // namespace
}  // namespace tandem
