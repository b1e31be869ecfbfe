// What each strategy sends, counted by the loopback, against the closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/comm/elementwise.h"
#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/record/recorder.h"
#include "core/strategies/strategy.h"

namespace tandem {
namespace {

constexpr std::uint64_t kModelBytes = 21'840 * 4;
constexpr int kIterations = 3;

void fill(View view, float number) {
  const Buffer numbers = make_host_buffer(view.elements, DType::kFloat32);
  std::ranges::fill(numbers.view().floats(), number);
  convert(view, numbers.view());
}

/// Runs the strategies without a network: gradients are set to the rank's number plus one.
std::vector<Traffic> traffic_of(const Scenario& scenario,
                                std::vector<std::vector<float>>* weights) {
  const LayerGraph graph = build_model("mnist_cnn");
  std::vector<Traffic> traffic(scenario.members());
  weights->resize(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    const int rank = worker.group().rank;
    Replica replica(scenario, graph, worker);
    if (is_server(scenario, rank)) {
      serve(replica, kIterations);
    } else {
      const std::unique_ptr<Strategy> strategy = make_strategy(replica);
      for (int i = 0; i < kIterations; ++i) {
        replica.begin_step();
        strategy->begin_iteration();
        fill(replica.gradients.view(), static_cast<float>(rank + 1));
        for (int layer = static_cast<int>(graph.layers().size()) - 1; layer > 0; --layer) {
          strategy->gradient_ready(layer);
        }
        strategy->end_iteration();
      }
      strategy->finish();
    }
    traffic[rank] = worker.record().traffic();
    const auto floats = replica.weights().floats();
    (*weights)[rank].assign(floats.begin(), floats.end());
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

TEST_P(StrategyTraffic, ParameterServerSendsTheModelToEveryWorkerAndTakesItsGradients) {
  for (const int workers : {1, 2, 4}) {
    std::vector<std::vector<float>> weights;
    const auto traffic = traffic_of(scenario_of("parameter_server", workers, GetParam()), &weights);
    const std::uint64_t n = workers;
    EXPECT_EQ(traffic[workers].sent_bytes, n * kModelBytes * (kIterations + 1));
    EXPECT_EQ(traffic[workers].received_bytes, n * kModelBytes * kIterations);
    EXPECT_EQ(traffic[0].received_bytes, kModelBytes * (kIterations + 1));
    EXPECT_EQ(traffic[0].sent_bytes, kModelBytes * kIterations);
  }
}

TEST_P(StrategyTraffic, EveryoneEndsWithWeightsUpdatedFromTheAverage) {
  for (const char* algorithm : {"all_reduce", "parameter_server"}) {
    const Scenario scenario = scenario_of(algorithm, 3, GetParam());
    std::vector<std::vector<float>> weights;
    traffic_of(scenario, &weights);
    std::vector<float> initial(weights[0].size());
    initialize_parameters(build_model("mnist_cnn"), scenario.seed, initial);
    for (std::size_t i = 0; i < initial.size(); i += 997) {
      EXPECT_NEAR(weights[0][i], initial[i] - 2.0F * kIterations, 1e-5);  // (1 + 2 + 3) / 3
    }
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Overlap, StrategyTraffic, testing::Bool());

}  // namespace
}  // namespace tandem
