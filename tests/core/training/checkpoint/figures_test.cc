// A run with `collective: auto` goes on with the collectives that it began with.

#include "core/training/checkpoint/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/strategies/all_reduce_use.h"
#include "core/training/checkpoint/manifest.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

Scenario with_figures(int workers) {
  Scenario scenario;
  scenario.workers = workers;
  scenario.algorithm.name = "all_reduce";
  scenario.algorithm.collective = "auto";
  scenario.algorithm.options.node_size = 2;
  NetworkFigures figures{.shifts = {},
                         .inside = {1e-7, kForever},
                         .across = {3e-5, 1.0 / 3 * 1e9},
                         .adding_bandwidth = 4e9 / 7};
  for (int distance = 1; distance < workers; distance *= 2)
    figures.shifts.push_back({1e-5 * distance, 1e9 / distance});
  scenario.algorithm.network = figures;
  return scenario;
}

/// As it is read from a file: nothing was measured yet.
Scenario resuming(int workers, const fs::path& folder) {
  Scenario scenario = with_figures(workers);
  scenario.algorithm.network.reset();
  scenario.algorithm.options.node_size.reset();
  scenario.checkpoint = {.every = 5, .path = folder.string(), .resume = 5};
  return scenario;
}

class Figures : public testing::Test {
 protected:
  Figures()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(checkpoint_path(folder_, 5));
  }
  ~Figures() override { fs::remove_all(folder_); }

  void save(int workers, const nlohmann::json& figures) const {
    Manifest{.iteration = 5,
             .next_batch = 5,
             .saved = {.workers = workers},
             .training = nlohmann::json::object(),
             .figures = figures,
             .files = std::vector<FileSeal>(workers)}
        .save(checkpoint_path(folder_, 5));
  }

  fs::path folder_;
};

TEST_F(Figures, AreTheSameAgain) {
  const Scenario began = with_figures(6);
  save(6, figures_to_json(began));
  Scenario on = resuming(6, folder_);
  ASSERT_TRUE(resume_figures(on));
  EXPECT_EQ(on.algorithm.options.node_size, 2);
  EXPECT_EQ(figures_to_json(on), figures_to_json(began));
  EXPECT_EQ(on.algorithm.network->inside.bandwidth, kForever);
  EXPECT_EQ(on.algorithm.network->across.bandwidth, began.algorithm.network->across.bandwidth);
  for (const std::size_t elements :
       {std::size_t{10}, std::size_t{10'000}, std::size_t{10'000'000}}) {
    const CollectiveUse then = all_reduce_use(began, elements), now = all_reduce_use(on, elements);
    EXPECT_EQ(now.name, then.name);
    EXPECT_EQ(now.reason, then.reason);
  }
}

TEST_F(Figures, OfOtherWorkersAreMeasuredAnew) {
  save(6, figures_to_json(with_figures(6)));
  Scenario on = resuming(4, folder_);
  EXPECT_FALSE(resume_figures(on));
  EXPECT_FALSE(on.algorithm.network);
}

TEST_F(Figures, OfACollectiveThatHasANameAreNone) {
  Scenario named = with_figures(6);
  named.algorithm.collective = "ring";
  EXPECT_TRUE(figures_to_json(named).is_null());
  save(6, nullptr);
  named = resuming(6, folder_);
  EXPECT_FALSE(resume_figures(named));
  named.algorithm.collective = "ring";
  EXPECT_FALSE(resume_figures(named));
  named.checkpoint->resume.reset();
  EXPECT_FALSE(resume_figures(named));
}

TEST_F(Figures, ThatMakeNoSenseAreRefused) {
  const nlohmann::json good = figures_to_json(with_figures(6));
  const auto refused = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[key] = value;
    save(6, bad);
    Scenario on = resuming(6, folder_);
    EXPECT_THROW(resume_figures(on), InputError) << key << " " << value.dump();
  };
  refused("node_size", 0);
  refused("node_size", -2);
  refused("node_size", nullptr);  // more links than without
  refused("links", nlohmann::json::array());
  refused("links", {{1, 2}, {1}, {1, 2}, {1, 2}, {1, 2}});
  refused("adding_bandwidth", "fast");
  refused("adding_bandwidth", -1);
}

}  // namespace
}  // namespace tandem
