// Pipelines in simulated time, against what paper and pencil give.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/training/experiment.h"
#include "sim/simulate.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using enum PipelineSchedule;
using testing::HasSubstr;

constexpr Seconds kForwardTime = 1e5;  // next to which a message takes no time
constexpr Seconds kBackwardTime = 2e5;

/// A layer a stage.
Scenario scenario_of(int stages, int micro_batches, PipelineSchedule schedule) {
  Scenario scenario;
  scenario.name = "pipeline";
  scenario.model = {.name = "even", .input = Shape{8, 1, 1}, .classes = 8, .layers = {}};
  for (int i = 0; i < stages; ++i) {
    scenario.model.layers.push_back({.name = "fc" + std::to_string(i),
                                     .kind = LayerKind::kLinear,
                                     .options = {.outputs = 8},
                                     .inputs = {}});
  }
  scenario.batch_size = micro_batches;
  scenario.iterations = 3;
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = "pipeline";
  scenario.algorithm.micro_batches = micro_batches;
  scenario.algorithm.schedule = schedule;
  scenario.workers = stages;
  return scenario;
}

/// Every linear layer takes the same time, and nothing else any.
MemberDevice even_device() {
  return {[](const Kernel& kernel, int) {
            if (!kernel.name.starts_with("fc")) return 0.0;
            if (kernel.phase == Phase::kForward) return kForwardTime;
            return kernel.phase == Phase::kBackward ? kBackwardTime : 0.0;
          },
          [](std::size_t) { return 0.0; }};
}

/// Of the first stage's last iteration: how long it took, and how long it computed.
std::pair<Seconds, Seconds> iteration_of(const Scenario& scenario) {
  JobOptions options;
  options.devices.assign(scenario.workers, even_device());
  const Experiment experiment = prepare_experiment(scenario, false, {});
  // Two values, whatever the number of members.
  const auto figures =
      run_job("star", 2, std::move(options), [&](Worker& worker, std::span<double> values) {
        const MemberResult result = run_member(experiment, worker);
        if (worker.group().rank > 0) return;
        const IterationRecord& last = result.iterations.back();
        values[0] = last.end - last.begin;
        values[1] = last.compute;
      });
  return {figures[0], figures[1]};
}

class Bubble : public testing::TestWithParam<PipelineSchedule> {};

TEST_P(Bubble, IsSMinusOneOverMPlusSMinusOne) {
  for (const int stages : {1, 2, 4, 7}) {
    for (const int micro_batches : {1, 2, 4, 16}) {
      const auto [iteration, compute] =
          iteration_of(scenario_of(stages, micro_batches, GetParam()));
      const double expected = double(stages - 1) / (micro_batches + stages - 1);
      EXPECT_NEAR(1 - compute / iteration, expected, 1e-6) << stages << " " << micro_batches;
      EXPECT_NEAR(compute, micro_batches * (kForwardTime + kBackwardTime), 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, Bubble, testing::Values(kGPipe, kOneFOneB),
                         [](const auto& info) {
                           return std::string(info.param == kGPipe ? "gpipe" : "one_f_one_b");
                         });

Scenario of_mnist(int stages, int workers) {
  Scenario scenario;
  scenario.name = "pipeline";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 32;
  scenario.iterations = 4;
  scenario.algorithm.name = "pipeline";
  scenario.algorithm.stages = stages;
  scenario.workers = workers;
  scenario.platform = test_platform("star");
  return scenario;
}

TEST(PipelineSimulation, ComputesOneMicroBatchAfterTheOther) {
  double compute[3] = {};
  for (const int more : {0, 1, 2}) {
    const ChildOutcome outcome = in_child(
        [&](std::span<double> values) {
          Scenario scenario = of_mnist(2, 2);
          scenario.algorithm.micro_batches = 4 + more;
          scenario.batch_size = 4 * *scenario.algorithm.micro_batches;  // micro-batches of 8
          values[0] = *simulate(scenario).summary.compute_s;
        },
        1);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
    compute[more] = outcome.values[0];
  }
  const double one = compute[1] - compute[0];
  EXPECT_GT(one, compute[0] / 6);
  EXPECT_NEAR(compute[2] - compute[1], one, 1e-9 * one);
}

TEST(PipelineSimulation, PredictsThePeakOfEveryStage) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    const Scenario scenario = of_mnist(3, 6);
    const PointResult result = simulate(scenario);
    const auto& predicted = result.environment["memory"]["predicted"];
    EXPECT_EQ(static_cast<double>(result.members[0].peak_memory_bytes), predicted["total"]);
    EXPECT_EQ(result.members[3].peak_memory_bytes, result.members[0].peak_memory_bytes);
    EXPECT_NE(result.members[1].peak_memory_bytes, result.members[0].peak_memory_bytes);
    EXPECT_EQ(result.environment["executor"], "exact");
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
}

TEST(PipelineSimulation, RefusesTheFusedExecutorForGrids) {
  const ChildOutcome outcome = in_child([](std::span<double>) {
    Scenario scenario = of_mnist(2, 4);
    scenario.simulation.executor = ExecutorKind::kFused;
    simulate(scenario);
  });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("not all members take part in it; use executor: exact"));
}

TEST(PipelineSimulation, SaysWhereAModelHasTooFewStages) {
  const ChildOutcome outcome = in_child([](std::span<double>) { simulate(of_mnist(40, 40)); });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("model mnist_cnn can be cut into "));
}

}  // namespace
}  // namespace tandem
