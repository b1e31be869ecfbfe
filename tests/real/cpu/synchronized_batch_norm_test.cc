// Batch norms whose statistics are those of all workers' batches: so many workers compute what one
// does with a batch as large as theirs together.

#include <gtest/gtest.h>

#include <cmath>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {
namespace {

ModelSpec two_norms() {
  const auto layer = [](const char* name, LayerKind kind, LayerOptions options) {
    return LayerSpec{name, kind, options, {}};
  };
  const LayerOptions convolution{
      .outputs = 10, .kernel_height = 3, .kernel_width = 3, .bias = false};
  return {.name = "two_norms",
          .input = Shape{2, 9, 8},
          .classes = {},
          .layers = {layer("first", LayerKind::kConvolution, convolution),
                     layer("first_norm", LayerKind::kBatchNorm, {}),
                     layer("first_relu", LayerKind::kRelu, {}),
                     layer("second", LayerKind::kConvolution, convolution),
                     layer("second_norm", LayerKind::kBatchNorm, {}),
                     layer("second_relu", LayerKind::kRelu, {}),
                     layer("scores", LayerKind::kLinear, {.outputs = 4})}};
}

Scenario scenario_of(int workers, bool synchronized) {
  Scenario scenario;
  scenario.model = two_norms();
  scenario.batch_size = 12 / workers;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 0};
  scenario.iterations = 5;
  scenario.workers = workers;
  scenario.synchronize_batch_norm = synchronized;
  return scenario;
}

struct Outcome {
  std::vector<double> losses;  ///< by iteration, the mean over workers
  std::optional<double> accuracy;
};

Outcome train(const Scenario& scenario) {
  const Experiment experiment = prepare_on_device(scenario);
  std::vector<MemberResult> results(scenario.workers);
  run_loopback(scenario.workers, [&](Worker& worker) {
    results[worker.group().rank] = run_member(experiment, worker);
  });
  Outcome outcome{std::vector<double>(experiment.iterations),
                  results[0].evaluations.back().accuracy};
  for (const MemberResult& member : results) {
    EXPECT_EQ(member.weights_hash, results[0].weights_hash);
    for (std::size_t i = 0; i < outcome.losses.size(); ++i) {
      outcome.losses[i] += *member.iterations[i].loss / scenario.workers;
    }
  }
  return outcome;
}

double largest_difference(const Outcome& a, const Outcome& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    largest = std::max(largest, std::abs(a.losses[i] - b.losses[i]));
  }
  return largest;
}

// Sums of float32 in another order differ by about 1e-6; after some steps, by ten times that.
TEST(SynchronizedBatchNorm, TrainsAsOneWorkerWithTheWholeBatch) {
  const Outcome one = train(scenario_of(1, false));
  for (const int workers : {1, 2, 3, 4}) {
    const Outcome several = train(scenario_of(workers, true));
    EXPECT_LT(largest_difference(several, one), 1e-4) << workers;
    EXPECT_NEAR(*several.accuracy, *one.accuracy, 0.002) << workers;
  }
}

TEST(SynchronizedBatchNorm, DiffersFromEachWorkersOwnStatistics) {
  EXPECT_GT(largest_difference(train(scenario_of(3, false)), train(scenario_of(1, false))), 0.01);
}

}  // namespace
}  // namespace tandem
