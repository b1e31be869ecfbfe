// A training that goes on from a checkpoint ends with the same bits as one that was never stopped:
// every algorithm that can be checkpointed, in the loopback.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/comm/loopback/loopback.h"
#include "core/training/experiment.h"
#include "tests/core/training/checkpoint/saved_state.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kSavedAfter = 5;
constexpr int kIterations = 10;

/// With a batch norm, whose running statistics are state, and dropout, whose masks are drawn.
ModelSpec small_model() {
  const auto layer = [](const char* name, LayerKind kind, LayerOptions options) {
    return LayerSpec{name, kind, options, {}};
  };
  const LayerOptions convolution{
      .outputs = 6, .kernel_height = 3, .kernel_width = 3, .bias = false};
  return {.name = "small",
          .input = Shape{1, 8, 8},
          .classes = {},
          .layers = {layer("convolution", LayerKind::kConvolution, convolution),
                     layer("norm", LayerKind::kBatchNorm, {}), layer("relu", LayerKind::kRelu, {}),
                     layer("dropout", LayerKind::kDropout, {.probability = 0.2}),
                     layer("scores", LayerKind::kLinear, {.outputs = 5})}};
}

Scenario plain() {
  Scenario scenario;
  scenario.name = "checkpoints";
  scenario.model = small_model();
  scenario.batch_size = 4;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.05, .momentum = 0.9};
  scenario.iterations = kIterations;
  scenario.warmup_iterations = 0;
  scenario.algorithm.bucket_bytes = 2000;
  scenario.workers = 3;
  scenario.seed = 7;
  return scenario;
}

Scenario adamw() {
  Scenario scenario = plain();
  scenario.optimizer = {.name = "adamw", .learning_rate = 0.01, .weight_decay = 0.01};
  return scenario;
}

Scenario with_algorithm(const std::string& name) {
  Scenario scenario = adamw();
  scenario.algorithm.name = name;
  return scenario;
}

Scenario zero(int stage, const std::string& precision = "fp32") {
  Scenario scenario = with_algorithm("zero");
  scenario.algorithm.stage = stage;
  scenario.precision.name = precision;
  // Overflows at first, so that the scale changes.
  scenario.precision.loss_scale = {.initial = 0x1p18, .window = 3, .hysteresis = 1, .minimum = 1};
  return scenario;
}

Scenario servers(int count, bool early_pull) {
  Scenario scenario = plain();
  scenario.algorithm.name = "parameter_server";
  scenario.algorithm.server_count = count;
  scenario.algorithm.early_pull = early_pull;
  return scenario;
}

Scenario changed(Scenario scenario, void (*change)(Scenario&)) {
  change(scenario);
  return scenario;
}

const std::map<std::string, Scenario>& cases() {
  static const std::map<std::string, Scenario> kCases = {
      {"one_worker", changed(with_algorithm("none"), [](Scenario& s) { s.workers = 1; })},
      {"momentum", plain()},
      {"adamw", adamw()},
      {"lamb", changed(plain(), [](Scenario& s) { s.optimizer.name = "lamb"; })},
      {"clip", changed(plain(), [](Scenario& s) { s.clip_norm = 0.5; })},
      {"accumulation", changed(plain(), [](Scenario& s) { s.backward_passes_per_step = 2; })},
      {"prefetch", changed(plain(), [](Scenario& s) { s.data.prefetch = 2; })},
      {"evaluated", changed(plain(), [](Scenario& s) { s.evaluate_every = 4; })},
      {"synchronized_norms",
       changed(plain(), [](Scenario& s) { s.synchronize_batch_norm = true; })},
      {"cosine", changed(plain(),
                         [](Scenario& s) {
                           s.learning_rate_schedule = {.name = "cosine", .warmup_steps = 2};
                         })},
      {"fp16", changed(zero(0, "fp16"), [](Scenario& s) { s.algorithm.name = "all_reduce"; })},
      {"bf16", changed(adamw(), [](Scenario& s) { s.precision.name = "bf16"; })},
      {"top_k",
       changed(plain(),
               [](Scenario& s) { s.algorithm.compression = {.name = "top_k", .ratio = 0.1}; })},
      {"power_sgd",
       changed(plain(),
               [](Scenario& s) { s.algorithm.compression = {.name = "power_sgd", .rank = 2}; })},
      {"half_on_the_wire",
       changed(plain(), [](Scenario& s) { s.algorithm.compression.name = "fp16"; })},
      {"zero_0", zero(0)},
      {"zero_1", zero(1)},
      {"zero_2", zero(2)},
      {"zero_3", zero(3)},
      {"zero_1_fp16", zero(1, "fp16")},
      {"zero_3_fp16", zero(3, "fp16")},
      {"zero_2_bf16", zero(2, "bf16")},
      {"one_server", servers(1, true)},
      {"two_servers", servers(2, true)},
      {"servers_pulled_late", servers(2, false)},
      {"servers_adamw",
       changed(servers(2, true), [](Scenario& s) { s.optimizer = adamw().optimizer; })},
      {"local_sgd",
       changed(with_algorithm("local_sgd"), [](Scenario& s) { s.algorithm.local_steps = 3; })},
      {"local_sgd_outer", changed(with_algorithm("local_sgd"),
                                  [](Scenario& s) {
                                    s.algorithm.local_steps = 2;
                                    s.algorithm.outer = {.learning_rate = 0.7, .momentum = 0.9};
                                  })},
      {"pairwise", with_algorithm("pairwise_averaging")},
      {"pairwise_all", changed(with_algorithm("pairwise_averaging"),
                               [](Scenario& s) { s.algorithm.passes.reset(); })},
      {"sgp", with_algorithm("sgp")},
      {"pipeline", with_algorithm("pipeline")},
      {"two_pipelines", changed(with_algorithm("pipeline"),
                                [](Scenario& s) {
                                  s.workers = 4;
                                  s.algorithm.stages = 2;
                                  s.algorithm.schedule = PipelineSchedule::kGPipe;
                                })},
  };
  return kCases;
}

/// One worker of an algorithm in which each goes on as it can, so that messages come in one order.
Scenario alone(const std::string& algorithm, void (*change)(AlgorithmSpec&)) {
  Scenario scenario = servers(2, true);
  scenario.workers = 1;
  scenario.optimizer = adamw().optimizer;
  scenario.learning_rate_schedule = {.name = "cosine", .warmup_steps = 2};
  scenario.algorithm.name = algorithm;
  change(scenario.algorithm);
  return scenario;
}

/// The asynchronous ones. What workers push and pull only now and then is under way in kSavedAfter.
const std::map<std::string, Scenario>& lone_cases() {
  static const std::map<std::string, Scenario> kCases = {
      {"asynchronous",
       alone("parameter_server", [](AlgorithmSpec& a) { a.mode = ServerMode::kAsynchronous; })},
      {"late_pull", alone("parameter_server",
                          [](AlgorithmSpec& a) {
                            a.mode = ServerMode::kAsynchronous;
                            a.early_pull = false;
                          })},
      {"downpour", alone("parameter_server",
                         [](AlgorithmSpec& a) {
                           a.mode = ServerMode::kAsynchronous;
                           a.push_every = 3;
                           a.pull_every = 4;
                         })},
      {"stale",
       alone("parameter_server", [](AlgorithmSpec& a) { a.mode = ServerMode::kStaleSynchronous; })},
      {"elastic", alone("elastic_averaging", [](AlgorithmSpec& a) { a.local_steps = 3; })},
      {"ad_psgd", alone("ad_psgd", [](AlgorithmSpec&) {})},
  };
  return kCases;
}

std::vector<MemberResult> train(const Scenario& scenario, double share = 1) {
  Experiment experiment = prepare_on_device(scenario);
  experiment.saves = true;
  experiment.share = share;
  std::vector<MemberResult> results(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    results[worker.group().rank] = run_member(experiment, worker);
  });
  return results;
}

/// A folder that goes with the test.
class Checkpointed : public testing::Test {
 protected:
  Checkpointed() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_');
    folder_ = fs::path(testing::TempDir()) / ("checkpoints_" + name);
    fs::remove_all(folder_);
  }
  ~Checkpointed() override { fs::remove_all(folder_); }

  Scenario saved_in(Scenario scenario, const char* name, std::optional<int> resume = {}) const {
    scenario.checkpoint = {
        .every = kSavedAfter, .keep = 2, .path = (folder_ / name).string(), .resume = resume};
    return scenario;
  }

  /// Has the first half in the folder `name`, as a run that was killed after it leaves it.
  void leave_half(const char* from, const char* name) const {
    fs::create_directories(folder_ / name);
    fs::copy(checkpoint_path(folder_ / from, kSavedAfter),
             checkpoint_path(folder_ / name, kSavedAfter), fs::copy_options::recursive);
  }

  fs::path folder_;
};

class Resumed : public Checkpointed, public testing::WithParamInterface<std::string> {};

TEST_P(Resumed, EndsAsIfNeverStopped) {
  const bool is_alone = lone_cases().contains(GetParam());
  const Scenario scenario = (is_alone ? lone_cases() : cases()).at(GetParam());
  const auto whole = train(saved_in(scenario, "whole"));
  leave_half("whole", "half");
  const auto resumed = train(saved_in(scenario, "half", kSavedAfter));
  for (std::size_t rank = 0; rank < whole.size(); ++rank) {
    EXPECT_EQ(resumed[rank].weights_hash, whole[rank].weights_hash) << "rank " << rank;
    ASSERT_EQ(resumed[rank].iterations.size(), std::size_t{kIterations});
    for (int i = 0; i < kIterations; ++i)
      EXPECT_EQ(resumed[rank].iterations[i].loss, whole[rank].iterations[i].loss) << i;
    EXPECT_EQ(resumed[rank].staleness, whole[rank].staleness);
    EXPECT_EQ(resumed[rank].skipped_steps, whole[rank].skipped_steps);
    ASSERT_EQ(resumed[rank].evaluations.size(), whole[rank].evaluations.size());
    for (std::size_t i = 0; i < whole[rank].evaluations.size(); ++i) {
      EXPECT_EQ(resumed[rank].evaluations[i].iteration, whole[rank].evaluations[i].iteration);
      EXPECT_EQ(resumed[rank].evaluations[i].accuracy, whole[rank].evaluations[i].accuracy);
    }
  }
  const auto expected = saved_state(folder_ / "whole", kIterations, scenario);
  EXPECT_GT(expected.size(), 3U);
  EXPECT_TRUE(saved_state(folder_ / "half", kIterations, scenario) == expected);
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& [name, scenario] : cases()) names.push_back(name);
  for (const auto& [name, scenario] : lone_cases()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Resumed, testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

class OnOtherWorkers : public Checkpointed, public testing::WithParamInterface<std::string> {};

// Its weights are those that were saved, whoever holds which part of them; and it trains on.
TEST_P(OnOtherWorkers, GoesOn) {
  Scenario scenario = cases().at(GetParam());
  train(saved_in(scenario, "whole"));
  scenario.iterations = kSavedAfter;
  const std::string saved = train(scenario)[0].weights_hash;
  for (const int workers : {1, 2, 4}) {
    SCOPED_TRACE(workers);
    const std::string name = fmt::format("on_{}", workers);
    leave_half("whole", name.c_str());
    scenario.workers = workers;
    scenario.iterations = kSavedAfter;
    EXPECT_EQ(train(saved_in(scenario, name.c_str(), kSavedAfter))[0].weights_hash, saved);
    scenario.iterations = kIterations;
    const auto on = train(saved_in(scenario, name.c_str(), kSavedAfter));
    EXPECT_EQ(on[0].first_iteration, kSavedAfter);
    EXPECT_EQ(on[0].iterations.size(), std::size_t{kIterations - kSavedAfter});
    for (int rank = 1; rank < workers; ++rank) EXPECT_EQ(on[rank].weights_hash, on[0].weights_hash);
    EXPECT_NE(on[0].weights_hash, saved);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, OnOtherWorkers,
                         testing::Values("adamw", "fp16", "zero_0", "zero_1", "zero_2", "zero_3",
                                         "zero_1_fp16", "zero_3_fp16", "two_servers",
                                         "servers_adamw", "pipeline"),
                         [](const auto& info) { return info.param; });

// With others, and by themselves then: what was done before is in the records, though its
// iterations aren't.
TEST_F(Checkpointed, TellsWhatWasDoneBeforeHoweverOftenItGoesOn) {
  Scenario scenario = plain();
  scenario.evaluate_every = 2;
  const auto whole = train(saved_in(scenario, "whole"));
  leave_half("whole", "moved");
  const double of_three = scenario.samples_per_iteration();
  scenario.workers = 2;
  const double of_two = scenario.samples_per_iteration();
  train(saved_in(scenario, "moved", kSavedAfter));
  scenario.iterations = kIterations + 2;
  const auto on = train(saved_in(scenario, "moved", kIterations));

  EXPECT_EQ(on[0].first_iteration, kSavedAfter);
  EXPECT_EQ(on[0].iterations.size(), std::size_t{kIterations + 2 - kSavedAfter});
  const auto sent_by = [](const std::vector<MemberResult>& members, int iterations) {
    std::uint64_t sum = 0;
    for (const MemberResult& member : members)
      for (int i = 0; i < iterations; ++i) sum += member.iterations[i].traffic.sent_bytes;
    return sum;
  };
  EXPECT_GT(on[0].sent_bytes_before, 0U);
  EXPECT_EQ(on[0].sent_bytes_before, sent_by(whole, kSavedAfter));
  const std::vector<Evaluation>& curve = on[0].evaluations;
  // 2, 4 by three; 6, 8 and the end by two. 10 was the end of the training before it went on.
  const std::vector<int> iterations = {2, 4, 6, 8, kIterations + 2};
  ASSERT_EQ(curve.size(), iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    SCOPED_TRACE(i);
    const int iteration = iterations[i];
    const int by_three = std::min(iteration, kSavedAfter);
    EXPECT_EQ(curve[i].iteration, iteration);
    EXPECT_EQ(curve[i].samples, by_three * of_three + (iteration - by_three) * of_two);
    EXPECT_GT(curve[i].time, i == 0 ? 0 : curve[i - 1].time);
    if (iteration > kSavedAfter) {
      EXPECT_EQ(curve[i].inherited_bytes, 0U);
      continue;
    }
    EXPECT_EQ(curve[i].inherited_bytes, sent_by(whole, iteration));
    EXPECT_EQ(curve[i].accuracy, whole[0].evaluations[i].accuracy);
  }
}

// By each job's own share of an iteration, whoever supervised it.
TEST_F(Checkpointed, KeepsHowMuchWasDone) {
  Scenario scenario = plain();
  scenario.workers = 2;
  scenario.iterations = kSavedAfter;
  const auto done = [&](int iteration) {
    return Manifest::load(checkpoint_path(folder_ / "kept", iteration)).done;
  };
  train(saved_in(scenario, "kept"), 0.5);
  EXPECT_EQ(done(kSavedAfter), 0.5 * kSavedAfter);
  scenario.iterations = kSavedAfter + 2;
  train(saved_in(scenario, "kept", kSavedAfter));
  EXPECT_EQ(done(kSavedAfter + 2), 0.5 * kSavedAfter + 2);
  scenario.iterations = kIterations;
  train(saved_in(scenario, "kept", kSavedAfter + 2), 0.25);
  EXPECT_EQ(done(kIterations), 0.5 * kSavedAfter + 2 + 0.25 * (kIterations - kSavedAfter - 2));
}

TEST_F(Checkpointed, ServersMayBeOthersToo) {
  Scenario scenario = servers(2, true);
  const std::string whole = train(saved_in(scenario, "whole"))[0].weights_hash;
  for (const int count : {1, 3}) {
    const std::string name = fmt::format("of_{}", count);
    leave_half("whole", name.c_str());
    scenario.algorithm.server_count = count;
    EXPECT_EQ(train(saved_in(scenario, name.c_str(), kSavedAfter))[0].weights_hash, whole) << count;
  }
}

// Each begins with the mean of what the workers had, and they train on together.
TEST_F(Checkpointed, OfAlgorithmsWithStateOfEachWorkerGoesOnOnOthers) {
  for (const char* name :
       {"local_sgd", "local_sgd_outer", "pairwise", "pairwise_all", "sgp", "top_k", "power_sgd"}) {
    SCOPED_TRACE(name);
    Scenario scenario = cases().at(name);
    train(saved_in(scenario, name));
    for (const int workers : {1, 2, 5}) {
      const std::string half = fmt::format("{}_{}", name, workers);
      leave_half(name, half.c_str());
      scenario.workers = workers;
      const auto on = train(saved_in(scenario, half.c_str(), kSavedAfter));
      for (const MemberResult& worker : on) {
        EXPECT_EQ(worker.weights_hash, on[0].weights_hash);
        ASSERT_EQ(worker.iterations.size(), std::size_t{kIterations - kSavedAfter});
        EXPECT_LT(*worker.iterations.back().loss, 10);
      }
    }
  }
}

// Gathered in place of each other, the stages of the two pipelines are one model.
TEST_F(Checkpointed, PipelinesMayHaveOtherStages) {
  Scenario scenario = cases().at("two_pipelines");
  train(saved_in(scenario, "whole"));
  scenario.iterations = kSavedAfter;
  const std::string saved = train(scenario)[0].weights_hash;
  for (const int stages : {1, 4}) {
    const std::string name = fmt::format("of_{}", stages);
    leave_half("whole", name.c_str());
    scenario.algorithm.stages = stages;
    EXPECT_EQ(train(saved_in(scenario, name.c_str(), kSavedAfter))[0].weights_hash, saved);
  }
}

TEST_F(Checkpointed, KeepsTheNewest) {
  Scenario scenario = saved_in(plain(), "kept");
  scenario.checkpoint->every = 2;
  train(scenario);
  EXPECT_EQ(complete_checkpoints(folder_ / "kept"), (std::vector<int>{10, 8}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "kept"), fs::directory_iterator()), 2);
}

TEST_F(Checkpointed, KeepsGoodOnesInPlaceOfOneThatWasRefused) {
  Scenario scenario = saved_in(plain(), "kept");
  scenario.checkpoint->every = 2;
  scenario.iterations = 4;
  train(scenario);
  fs::resize_file(member_path(checkpoint_path(folder_ / "kept", 4), 1), 20);
  scenario.checkpoint->every = 3;
  scenario.checkpoint->resume = 2;
  scenario.iterations = 6;
  train(scenario);
  EXPECT_EQ(complete_checkpoints(folder_ / "kept"), (std::vector<int>{6, 3}));
}

TEST_F(Checkpointed, TrainsOnWhereNoneCanBeWritten) {
  const std::string whole = train(plain())[0].weights_hash;
  std::ofstream(folder_) << "a file, where the folder should be";
  const auto results = train(saved_in(plain(), "under_a_file"));
  EXPECT_EQ(results[0].weights_hash, whole);
  ASSERT_EQ(results[0].warnings.size(), 2U);
  EXPECT_TRUE(results[0].warnings[0].starts_with("no checkpoint after 5 iterations: "))
      << results[0].warnings[0];
}

}  // namespace
}  // namespace tandem
