// What a pipeline sends and holds, counted by the loopback.

#include "core/strategies/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/strategies/memory_use.h"
#include "core/strategies/pipeline/stage.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

constexpr int kPipelineIterations = 3;

Scenario scenario_of(int stages, int replicas, PipelineSchedule schedule, int micro_batches) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 4;
  scenario.warmup_iterations = 0;
  scenario.iterations = kPipelineIterations;
  scenario.optimizer.name = "adam";
  scenario.algorithm.name = "pipeline";
  scenario.algorithm.stages = stages;
  scenario.algorithm.micro_batches = micro_batches;
  scenario.algorithm.schedule = schedule;
  scenario.algorithm.bucket_bytes = 5'000;
  scenario.workers = stages * replicas;
  return scenario;
}

/// Runs it without a network.
std::vector<MemberResult> run(const Scenario& scenario) {
  const Experiment experiment = prepare_experiment(scenario, false, {});
  std::vector<MemberResult> members(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    members[worker.group().rank] = run_member(experiment, worker);
  });
  return members;
}

/// Bytes of layer `layer`'s output for a pipeline's samples of an iteration.
std::uint64_t crossing(const Scenario& scenario, const LayerGraph& graph, int layer) {
  return 4UL * scenario.batch_size * scenario.stages() * graph.layers()[layer].output.elements();
}

/// Bytes that a worker sends in an iteration to its neighbours in the pipeline.
std::uint64_t handed_on(const Scenario& scenario, const LayerGraph& graph, const Stage& stage) {
  std::uint64_t bytes = 0;
  if (!stage.is_last()) bytes += crossing(scenario, graph, stage.layers.last);
  if (!stage.is_first()) bytes += crossing(scenario, graph, stage.layers.first - 1);
  return bytes;
}

void expect_traffic(const Scenario& scenario) {
  const LayerGraph graph = build_model(scenario.model.name);
  const std::vector<MemberResult> members = run(scenario);
  const int stages = scenario.stages();
  const int replicas = scenario.workers / stages;
  std::uint64_t around = 0;  // of all workers
  for (const MemberResult& member : members) {
    const Stage stage = stage_of(scenario, graph, member.rank);
    const std::uint64_t own = 4 * stage.parameters.elements;
    std::uint64_t in_iterations = 0;
    for (const IterationRecord& iteration : member.iterations) {
      const std::uint64_t sent = iteration.traffic.sent_bytes;
      const std::uint64_t gradients = sent - handed_on(scenario, graph, stage);
      EXPECT_NEAR(static_cast<double>(gradients),
                  2.0 * (replicas - 1) / replicas * static_cast<double>(own), 100)
          << stages << "x" << replicas << " rank " << member.rank;
      around += gradients;
      in_iterations += sent;
    }
    EXPECT_EQ(member.traffic.sent_bytes - in_iterations, (stages - 1) * own);  // final weights
  }
  EXPECT_EQ(around, 2UL * (replicas - 1) * 4 * graph.parameter_elements() * kPipelineIterations);
}

TEST(Pipeline, SendsActivationsOnGradientsBackAndItsStagesGradientsAround) {
  for (const auto schedule : {PipelineSchedule::kGPipe, PipelineSchedule::kOneFOneB}) {
    for (const auto& [stages, replicas, micro_batches] :
         {std::tuple(1, 1, 1), {1, 3, 2}, {2, 1, 1}, {2, 1, 4}, {3, 2, 3}, {4, 1, 8}, {7, 1, 7}}) {
      expect_traffic(scenario_of(stages, replicas, schedule, micro_batches));
    }
  }
}

TEST(Pipeline, HoldsItsStageAndWhatIsInFlight) {
  const LayerGraph graph = build_model("mnist_cnn");
  for (const PipelineSchedule schedule : {PipelineSchedule::kGPipe, PipelineSchedule::kOneFOneB}) {
    const Scenario scenario = scenario_of(4, 1, schedule, 16);
    const std::vector<MemberResult> members = run(scenario);
    for (int rank = 0; rank < 4; ++rank) {
      const MemoryUse use = predict_memory(scenario, graph, rank);
      EXPECT_EQ(static_cast<double>(members[rank].held_peak_bytes),
                use.model_states() + use.working)
          << rank;
    }
  }
}

TEST(Pipeline, Of1F1BHoldsActivationsOfSMicroBatchesAtMost) {
  const LayerGraph graph = build_model("mnist_cnn");
  const auto activations = [&](PipelineSchedule schedule, int micro_batches) {
    Scenario scenario = scenario_of(2, 1, schedule, micro_batches);
    scenario.batch_size = micro_batches;  // micro-batches of two samples
    return predict_memory(scenario, graph, 0).activations;
  };
  using enum PipelineSchedule;
  EXPECT_EQ(activations(kOneFOneB, 2), activations(kGPipe, 2));
  EXPECT_EQ(activations(kOneFOneB, 32), activations(kOneFOneB, 2));
  const double one = activations(kGPipe, 3) - activations(kGPipe, 2);
  EXPECT_GT(one, 0);
  EXPECT_EQ(activations(kGPipe, 32), activations(kGPipe, 2) + 30 * one);
}

}  // namespace
}  // namespace tandem
