// Checkpoints of algorithms in which each worker goes on as it can: in every world all come to rest
// for them, leave no message over, and go on with what they had, also on other members.

#include <errno.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/training/experiment.h"
#include "tests/conformance/gather_hashes.h"
#include "tests/conformance/prepared.h"
#include "tests/conformance/world.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kSavedAfter = 6;
constexpr int kIterations = 13;

struct Case {
  std::string name;
  AlgorithmSpec algorithm;
  int updates = 0;  ///< of a worker whose staleness the last member counts
};

Case servers(const char* name, ServerMode mode, int updates) {
  Case example{.name = name, .algorithm = {}, .updates = updates};
  example.algorithm.name = "parameter_server";
  example.algorithm.mode = mode;
  return example;
}

std::vector<Case> cases() {
  std::vector<Case> cases = {servers("synchronous", ServerMode::kSynchronous, 0),
                             servers("backup", ServerMode::kSynchronous, 0),
                             servers("asynchronous", ServerMode::kAsynchronous, kIterations),
                             servers("late_pull", ServerMode::kAsynchronous, kIterations),
                             servers("downpour", ServerMode::kAsynchronous, 5),
                             servers("stale", ServerMode::kStaleSynchronous, kIterations)};
  cases[1].algorithm.backup_workers = 1;
  cases[3].algorithm.early_pull = false;
  cases[4].algorithm.push_every = 3;  // the last one at the end
  cases[4].algorithm.pull_every = 4;
  cases[5].algorithm.staleness = 1;
  Case elastic{.name = "elastic", .algorithm = {}, .updates = 4};
  elastic.algorithm.name = "elastic_averaging";
  elastic.algorithm.local_steps = 4;
  cases.push_back(elastic);
  Case gossip{.name = "ad_psgd", .algorithm = {}, .updates = kIterations};
  gossip.algorithm.name = "ad_psgd";
  cases.push_back(gossip);
  return cases;
}

class Rests : public testing::TestWithParam<std::tuple<Case, int>> {
 protected:
  Rests() : world_(make_world()) {
    const auto& [example, workers] = GetParam();
    scenario_.name = example.name;
    scenario_.model.name = "mnist_cnn";
    scenario_.batch_size = 4;
    scenario_.optimizer = {.name = "sgd", .learning_rate = 0.005, .momentum = 0.9};
    scenario_.warmup_iterations = 0;
    scenario_.algorithm = example.algorithm;
    scenario_.algorithm.bucket_bytes = 20'000;
    scenario_.workers = workers;
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(name, '/', '_');
    folder_ = fs::path(testing::TempDir()) / fmt::format("rests_{}_in_{}", name, name_of_world());
  }
  ~Rests() override {
    if (world_->has_first()) fs::remove_all(folder_);
  }

  /// Worlds, and jobs of other sizes, are tested at the same time.
  std::string name_of_world() const {
    return fmt::format("{}_{}", program_invocation_short_name,
                       world_->supports(scenario_.members()) ? scenario_.members() : 0);
  }

  bool is_possible(const Scenario& scenario) const {
    return scenario.workers > scenario.algorithm.backup_workers &&
           world_->supports(scenario.members());
  }

  /// Trains up to `iterations`, from a checkpoint in `folder_` where `resume`, and saves there.
  /// Returns the hashes of the weights that members end with, by rank; where rank 0 is not of this
  /// process, none.
  std::vector<std::string> train(Scenario scenario, int iterations,
                                 std::optional<int> resume = {}) const {
    scenario.iterations = iterations;
    scenario.checkpoint = {
        .every = kSavedAfter, .keep = 9, .path = folder_.string(), .resume = resume};
    Experiment experiment = prepared(scenario);
    experiment.saves = true;
    world_->run(scenario.members(), [&](Worker& worker) {
      if (!resume) clear(worker);
      const MemberResult result = run_member(experiment, worker);
      const auto hashes = gather_hashes(worker, result.weights_hash);
      const auto updates = gather_hashes(worker, fmt::format("{:08}", updates_in(result)));
      if (worker.group().rank > 0) return;
      EXPECT_TRUE(result.warnings.empty());
      EXPECT_EQ(result.first_iteration + result.iterations.size(), std::size_t(iterations));
      if (result.first_iteration == 0 && iterations == kIterations) {
        EXPECT_EQ(std::stoi(updates.back()), expected_updates());
      }
      std::ofstream(folder_ / "hashes") << fmt::format("{}\n", fmt::join(hashes, "\n"));
    });
    return world_->has_first() ? lines_in(folder_ / "hashes") : std::vector<std::string>();
  }

  /// A server counts those of all workers.
  int expected_updates() const {
    const int updates = std::get<0>(GetParam()).updates;
    return scenario_.algorithm.servers() > 0 ? updates * scenario_.workers : updates;
  }

  static std::uint64_t updates_in(const MemberResult& member) {
    std::uint64_t updates = 0;
    for (const auto& [stale, times] : member.staleness) updates += times;
    return updates;
  }

  static std::vector<std::string> lines_in(const fs::path& file) {
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  /// Nobody begins before what an earlier run left is gone.
  void clear(Worker& worker) const {
    constexpr Tag kCleared = 2;
    const Buffer token = worker.allocate(1, DType::kByte);
    std::vector<Handle> handles;
    if (worker.group().rank > 0) {
      handles.push_back(worker.receive(0, kCleared, token.view()));
    } else {
      fs::remove_all(folder_);
    }
    for (int peer = 1; worker.group().rank == 0 && peer < worker.group().size; ++peer)
      handles.push_back(worker.send(peer, kCleared, token.view()));
    wait_all(worker, handles);
  }

  std::unique_ptr<World> world_;
  Scenario scenario_;
  fs::path folder_;
};

TEST_P(Rests, GoOnWithWhatTheyHad) {
  if (!is_possible(scenario_)) GTEST_SKIP() << "this world has no such job";
  const auto ended = train(scenario_, kSavedAfter);
  const auto restored = train(scenario_, kSavedAfter, kSavedAfter);
  EXPECT_EQ(restored, ended);
  const auto on = train(scenario_, kIterations, kSavedAfter);
  const auto never_stopped = train(scenario_, kIterations);
  if (!world_->has_first()) return;
  EXPECT_NE(on[0], ended[0]);
  for (int worker = 1; worker < scenario_.workers; ++worker) EXPECT_EQ(on[worker], on[0]);
  // Elsewhere weights depend on who comes first.
  if (scenario_.workers == 1 || scenario_.name == "synchronous") {
    EXPECT_EQ(on, never_stopped);
  }
}

TEST_P(Rests, GoOnOnOtherMembers) {
  if (!is_possible(scenario_)) GTEST_SKIP() << "this world has no such job";
  const auto ended = train(scenario_, kSavedAfter);
  struct More {
    int workers, servers;
  };
  for (const More more : {More{-1, 1}, {1, -1}, {-1, 0}, {1, 0}, {2, 1}}) {
    Scenario scenario = scenario_;
    scenario.workers += more.workers;
    scenario.algorithm.server_count += more.servers;
    if (scenario.workers < 1 || scenario.algorithm.server_count < 1) continue;
    if (!is_possible(scenario)) continue;
    SCOPED_TRACE(fmt::format("{} and {}", scenario.workers, scenario.algorithm.server_count));
    const auto restored = train(scenario, kSavedAfter, kSavedAfter);
    const auto on = train(scenario, kIterations, kSavedAfter);
    if (!world_->has_first()) continue;
    // Weights of servers are the training's; those of workers they go on with the mean of.
    if (scenario.algorithm.servers() > 0) {
      EXPECT_EQ(restored[0], ended[0]);
    }
    EXPECT_NE(on[0], restored[0]);
    for (int worker = 1; worker < scenario.workers; ++worker) EXPECT_EQ(on[worker], on[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Rests,
                         testing::Combine(testing::ValuesIn(cases()), testing::Values(1, 2, 3)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace tandem
