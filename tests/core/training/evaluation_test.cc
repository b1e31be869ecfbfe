// Evaluations between iterations: when they are, and that no iteration is timed longer for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

constexpr Seconds kEvaluation = 1;

/// Learns nothing, is always right, and takes kEvaluation to test the model.
class SlowToTest final : public Network {
 public:
  void load(const Batch&, Mode mode, std::uint64_t) override {
    const bool begins_test = mode == Mode::kEvaluation && mode_ != mode;
    if (begins_test) std::this_thread::sleep_for(std::chrono::duration<double>(kEvaluation));
    mode_ = mode;
  }
  void forward(int) override {}
  void backward(int) override {}
  void sum_statistics(int, Phase, View) override {}
  void share_statistics(const Network&) override {}
  void visit_state(StateVisitor&) override {}
  void copy_output(std::span<float>) const override {}
  void load_output_gradient(std::span<const float>) override {}
  void copy_input_gradient(std::span<float>) const override {}
  double loss() const override { return 1; }
  int correct() const override { return 1; }

 private:
  Mode mode_ = Mode::kTraining;
};

Scenario scenario_of(const std::string& algorithm, int workers) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 100;
  scenario.iterations = 4;
  scenario.warmup_iterations = 1;
  scenario.evaluate_every = 2;
  scenario.algorithm.name = algorithm;
  if (algorithm == "asynchronous") {
    scenario.algorithm.name = "parameter_server";
    scenario.algorithm.mode = ServerMode::kAsynchronous;
  }
  scenario.workers = workers;
  return scenario;
}

class Evaluations : public testing::TestWithParam<std::string> {};

TEST_P(Evaluations, AreInNobodysIterations) {
  const Scenario scenario = scenario_of(GetParam(), 2);
  const Experiment experiment = prepare_experiment(
      scenario, true,
      [](const LayerGraph&, int, View, View) { return std::make_unique<SlowToTest>(); });
  std::vector<MemberResult> members(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    members[worker.group().rank] = run_member(experiment, worker);
  });
  std::vector<int> evaluated_after;
  for (const Evaluation& evaluation : members[0].evaluations) {
    evaluated_after.push_back(evaluation.iteration);
    EXPECT_LT(evaluation.time, kEvaluation / 2);
    EXPECT_GT(evaluation.accuracy, 0);
  }
  EXPECT_THAT(evaluated_after, testing::ElementsAre(2, 4, 5));
  EXPECT_TRUE(members[1].evaluations.empty());
  for (int worker = 0; worker < scenario.workers; ++worker) {
    ASSERT_EQ(members[worker].iterations.size(), 5U);
    for (const IterationRecord& iteration : members[worker].iterations) {
      EXPECT_LT(iteration.end - iteration.begin, kEvaluation / 2) << "worker " << worker;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Evaluations,
                         testing::Values("all_reduce", "parameter_server", "asynchronous",
                                         "elastic_averaging", "ad_psgd", "pipeline"));

}  // namespace
}  // namespace tandem
