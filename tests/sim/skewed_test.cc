// Fused against exact where hosts, links and devices differ, so that members arrive at different
// times: whole iterations of every strategy with collectives.

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "sim/simulate.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

/// Clusters of hosts of different speed, behind links of different bandwidth and latency.
std::string mixed_platform() {
  const std::string file = testing::TempDir() + "skewed-" + std::to_string(getpid()) + ".xml";
  std::ofstream out(file);
  out << "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"all\" routing=\"Floyd\">\n";
  constexpr int kClusters = 8;
  const char* speeds[] = {"1", "0.7", "1.3"};
  const char* bandwidths[] = {"1GBps", "0.5GBps", "2GBps", "0.8GBps"};
  for (int i = 0; i < kClusters; ++i) {
    out << "<cluster id=\"c" << i << "\" prefix=\"c" << i
        << "-\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" bw=\"" << bandwidths[i % 4]
        << "\" lat=\"" << 10 + 7 * i << "us\" sharing_policy=\"SPLITDUPLEX\" router_id=\"r" << i
        << "\"><prop id=\"speed\" value=\"" << speeds[i % 3] << "\"/></cluster>\n";
  }
  out << "<cluster id=\"core\" prefix=\"unused-\" suffix=\"\" radical=\"0-0\" speed=\"1Gf\" "
         "bw=\"1GBps\" lat=\"1us\" sharing_policy=\"SPLITDUPLEX\" router_id=\"core_router\"/>\n"
         "<link id=\"trunk\" bandwidth=\"100GBps\" latency=\"5us\" sharing_policy=\"FATPIPE\"/>\n";
  for (int i = 0; i < kClusters; ++i) {
    out << "<zoneRoute src=\"c" << i << "\" dst=\"core\" gw_src=\"r" << i
        << "\" gw_dst=\"core_router\"><link_ctn id=\"trunk\"/></zoneRoute>\n";
  }
  out << "</zone></platform>\n";
  return file;
}

ChildOutcome iteration_of(Scenario scenario, ExecutorKind executor) {
  scenario.simulation.executor = executor;
  return in_child(
      [&](std::span<double> values) {
        const PointResult result = simulate(scenario);
        EXPECT_EQ(result.environment["executor"],
                  executor == ExecutorKind::kFused ? "fused" : "exact");
        values[0] = *result.summary.iteration_s;
        values[1] = *result.summary.exposed_communication_s;
        values[2] = *result.summary.sent_bytes_per_worker;
      },
      3);
}

class Skewed : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Skewed, FusedIsWithinAPercentOfExact) {
  const auto& [algorithm, workers] = GetParam();
  Scenario scenario;
  scenario.name = "test";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 32;
  scenario.iterations = 2;
  scenario.warmup_iterations = 1;
  scenario.workers = workers;
  scenario.platform = mixed_platform();
  scenario.device = TANDEM_TEST_PLATFORMS "/devices/test.yaml";
  scenario.algorithm.bucket_bytes = 1'000'000;
  scenario.algorithm.options.node_size = 16;
  if (algorithm == "zero_1" || algorithm == "zero_3") {
    scenario.algorithm.name = "zero";
    scenario.algorithm.stage = algorithm.back() - '0';
  } else if (algorithm == "local_sgd") {
    scenario.algorithm.name = algorithm;
    scenario.algorithm.local_steps = 2;
  } else {
    scenario.algorithm.name = "all_reduce";
    scenario.algorithm.collective = algorithm;
  }
  const ChildOutcome fused = iteration_of(scenario, ExecutorKind::kFused);
  ASSERT_EQ(fused.exit_code, 0) << fused.message;
  const ChildOutcome exact = iteration_of(scenario, ExecutorKind::kExact);
  ASSERT_EQ(exact.exit_code, 0) << exact.message;
  EXPECT_NEAR(fused.values[0], exact.values[0], 0.01 * exact.values[0]);
  EXPECT_NEAR(fused.values[1], exact.values[1], 0.01 * exact.values[0]);
  EXPECT_EQ(fused.values[2], exact.values[2]);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Skewed,
    testing::Combine(testing::Values("ring", "segmented_ring", "halving_doubling",
                                     "recursive_doubling", "double_binary_tree", "binomial_tree",
                                     "hierarchical", "zero_1", "zero_3", "local_sgd"),
                     testing::Values(7, 48, 128)),
    [](const auto& info) {
      return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
    });

}  // namespace
}  // namespace tandem
