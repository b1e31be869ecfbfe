// Whole points with faults, from the scenario to its result.

#include "sim/faults/runs.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "sim/faults/apart.h"
#include "sim/simulate.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Scenario scenario_of(const std::string& algorithm, int workers, int iterations = 6) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 32;
  scenario.iterations = iterations;
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  scenario.platform = test_platform("star");
  return scenario;
}

PointResult predict(const Scenario& scenario) {
  const auto file =
      std::filesystem::temp_directory_path() / ("tandem-runs-" + std::to_string(getpid()));
  return simulate_with_faults(scenario, file, {});
}

std::string error_of(const Scenario& scenario) {
  try {
    predict(scenario);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> causes(const PointResult& result) {
  std::vector<std::string> names;
  for (const LostTime& each : result.lost->causes) names.push_back(each.cause);
  return names;
}

Seconds lost_to(const PointResult& result, const std::string& cause) {
  for (const LostTime& each : result.lost->causes)
    if (each.cause == cause) return each.total;
  ADD_FAILURE() << "nothing lost to " << cause;
  return 0;
}

Seconds sum_of(const LostTimes& lost) {
  Seconds sum = lost.undisturbed;
  for (const LostTime& each : lost.causes) sum += each.total;
  return sum;
}

SlowSpec slow_rank(int rank, double factor, FaultWindow window = {}) {
  return {.target = {.host = {}, .rank = rank}, .factor = factor, .window = window};
}

/// Of a platform on which nothing takes time but computing.
Seconds computing(const PointResult& result) {
  return result.lost->undisturbed;
}

TEST(Runs, AStragglerOfATwofoldTimeDoublesAnIterationThatOnlyComputes) {
  Scenario scenario = scenario_of("none", 1);
  scenario.faults.slow.push_back(slow_rank(0, 2));
  const PointResult result = predict(scenario);
  EXPECT_NEAR(result.lost->total, 2 * computing(result), 1e-12);
  EXPECT_NEAR(lost_to(result, "slow devices"), computing(result), 1e-12);
  EXPECT_NEAR(*result.summary.lost_s, computing(result), 1e-12);
}

// In a ring without overlap all wait for it: its own loss is in kernels, the three others' in
// waiting.
TEST(Runs, AllWaitForAStraggler) {
  Scenario scenario = scenario_of("all_reduce", 4);
  scenario.algorithm.overlap = false;
  scenario.faults.slow.push_back(slow_rank(2, 3));
  const PointResult result = predict(scenario);
  const LostTime& lost = result.lost->causes.front();
  EXPECT_GT(lost.total, 0);
  EXPECT_NEAR(lost.total, lost.compute + lost.waiting, 1e-12);
  EXPECT_GT(lost.waiting, 3 * lost.compute);  // its additions take longer too
  EXPECT_LT(lost.waiting, 3.3 * lost.compute);
  EXPECT_NEAR(sum_of(*result.lost), result.lost->total, 1e-12);
}

TEST(Runs, WindowsInIterationsSlowTheseAlone) {
  Scenario scenario = scenario_of("none", 1);
  scenario.faults.slow.push_back(slow_rank(0, 2, {.in_iterations = true, .from = 2, .until = 4}));
  const PointResult result = predict(scenario);
  EXPECT_NEAR(lost_to(result, "slow devices"), computing(result) * 2 / 6, 1e-12);
}

TEST(Runs, CausesAddUpToTheWholeDelay) {
  Scenario scenario = scenario_of("all_reduce", 4);
  scenario.faults.slow.push_back(slow_rank(1, 1.5));
  scenario.faults.compute = NoiseSpec{.distribution = "lognormal", .sigma = 0.3};
  scenario.faults.links.push_back({.link = "star_link_3", .bandwidth_factor = 0.1});
  scenario.faults.traffic.push_back({.source = "node-0", .destination = "node-9", .flows = 2});
  scenario.faults.repeats = 3;
  const PointResult result = predict(scenario);
  EXPECT_THAT(causes(result), ElementsAre("slow devices", "varying compute times", "degraded links",
                                          "background traffic"));
  EXPECT_GT(result.lost->total, result.lost->undisturbed);
  EXPECT_NEAR(sum_of(*result.lost), result.lost->total, 1e-12);
  EXPECT_EQ(result.summary.repeats, 3);
  EXPECT_LE(*result.summary.iteration_s_low, *result.summary.iteration_s);
  EXPECT_LT(*result.summary.iteration_s_low, *result.summary.iteration_s_high);
  EXPECT_THAT(result.environment["unfolded_reason"].get<std::string>(), HasSubstr("at most 64"));
  EXPECT_EQ(result.environment["not_extrapolated_reason"], "what disturbs iterations is random");
}

TEST(Runs, TheSameSeedsGiveTheSameTimes) {
  Scenario scenario = scenario_of("all_reduce", 4);
  scenario.faults.compute = NoiseSpec{.distribution = "weibull", .shape = 3, .each_kernel = true};
  const Seconds first = predict(scenario).lost->total;
  EXPECT_EQ(predict(scenario).lost->total, first);
  scenario.seed = 2;
  EXPECT_NE(predict(scenario).lost->total, first);
}

// A ring on links that take no time waits for the slowest of N in every iteration. The mean of the
// largest of N Weibull numbers of mean 1 is N sum_i C(N-1, i) (-1)^i / (i+1)^(1+1/k).
TEST(Runs, VaryingTimesCostTheLargestOfAllWorkers) {
  constexpr int kWorkers = 4, kIterations = 1500;
  constexpr double kShape = 4;
  Scenario scenario = scenario_of("all_reduce", kWorkers, kIterations);
  scenario.algorithm.overlap = false;
  scenario.simulation.bandwidth_factor = 1e6;
  scenario.simulation.latency_factor = 1e-6;
  scenario.faults.compute = NoiseSpec{.distribution = "weibull", .shape = kShape};
  const PointResult result = predict(scenario);
  const Seconds alone = computing(predict(scenario_of("none", 1, kIterations)));
  double largest = 0, binomial = 1;
  for (int i = 0; i < kWorkers; ++i) {
    largest += kWorkers * binomial * (i % 2 == 0 ? 1 : -1) / std::pow(i + 1, 1 + 1 / kShape);
    binomial = binomial * (kWorkers - 1 - i) / (i + 1);
  }
  EXPECT_NEAR(result.lost->lost() / alone, largest - 1, 0.01);
}

/// How many different times a member computed in an iteration.
std::size_t compute_times(const MemberResult& member) {
  std::set<std::int64_t> picoseconds;
  for (const IterationRecord& iteration : member.iterations)
    picoseconds.insert(std::llround(iteration.compute * 1e12));
  return picoseconds.size();
}

TEST(Runs, EachStageOfAPipelineVaries) {
  Scenario scenario = scenario_of("pipeline", 3);
  scenario.faults.compute = NoiseSpec{.distribution = "lognormal", .sigma = 0.3};
  const PointResult result = predict(scenario);
  for (const MemberResult& member : result.members)
    EXPECT_EQ(compute_times(member), 6U) << "stage " << member.rank;
}

TEST(Runs, ResultsOfAnEarlierAttemptAreNotTaken) {
  const auto file =
      std::filesystem::temp_directory_path() / ("tandem-runs-" + std::to_string(getpid()));
  Scenario scenario = scenario_of("all_reduce", 4);
  simulate_apart(scenario, {}, file, {}).save(file);
  scenario.workers = 1000;
  EXPECT_THAT(error_of(scenario), HasSubstr("but the scenario has 1000 members"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

/// Of a point whose collectives are fused.
Scenario fused(const FaultsSpec& faults, ExecutorKind executor) {
  Scenario scenario = scenario_of("all_reduce", 16, 10);
  scenario.algorithm.overlap = false;
  scenario.simulation.executor = executor;
  scenario.faults = faults;
  return scenario;
}

TEST(Runs, StragglersAndVaryingTimesFuse) {
  FaultsSpec faults;
  faults.slow = {slow_rank(3, 2), slow_rank(9, 1.3)};
  faults.compute = NoiseSpec{.distribution = "lognormal", .sigma = 0.2};
  const PointResult exact = predict(fused(faults, ExecutorKind::kExact));
  const PointResult quick = predict(fused(faults, ExecutorKind::kFused));
  EXPECT_EQ(quick.environment["executor"], "fused");
  EXPECT_NEAR(quick.lost->total, exact.lost->total, 1e-6 * exact.lost->total);
  ASSERT_EQ(quick.links.carriers, exact.links.carriers);
  EXPECT_NEAR(quick.links.links[0].bytes, exact.links.links[0].bytes, 1);
}

TEST(Runs, NetworksThatChangeDoNotFuse) {
  FaultsSpec faults;
  faults.links.push_back(
      {.link = "star_link_3", .bandwidth_factor = 0.5, .window = {.from = 0.001}});
  EXPECT_THAT(error_of(fused(faults, ExecutorKind::kFused)),
              HasSubstr("links change in the course of time; use executor: exact"));
  const PointResult result = predict(fused(faults, ExecutorKind::kAuto));
  EXPECT_EQ(result.environment["executor"], "exact");
}

// Messages of several workers begin at once, and share links from when their latency ends.
TEST(Runs, ALatencyOfAWindowIsThatOfTheWholeRun) {
  Scenario scenario = scenario_of("parameter_server", 24, 3);
  scenario.algorithm.server_count = 3;
  scenario.algorithm.bucket_bytes = 0;
  scenario.simulation.fold = false;
  const auto iteration = [&](Seconds from) {
    scenario.faults.links.clear();
    for (int link = 0; link < 27; ++link)
      scenario.faults.links.push_back({.link = "star_link_" + std::to_string(link),
                                       .latency_factor = 3,
                                       .window = {.from = from}});
    return *predict(scenario).summary.iteration_s;
  };
  const Seconds whole = iteration(0);
  EXPECT_NEAR(iteration(1e-9) / whole, 1, 1e-9);
}

TEST(Runs, WhatHasNoEffectIsPointedOut) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.faults.slow = {slow_rank(5, 2), slow_rank(0, 2, {.from = 1e6})};
  scenario.faults.links = {{.link = "star_link_40", .bandwidth_factor = 0.5}};
  scenario.faults.traffic = {{.source = "node-5", .destination = "node-6", .flows = 1}};
  scenario.faults.fail = {{.target = {.host = {}, .rank = 1}, .at = 1e6}};
  scenario.faults.repeats = 2;
  scenario.transport = "nccl";
  const PointResult result = predict(scenario);
  EXPECT_THAT(
      result.environment["without_effect"],
      ElementsAre("faults.slow of rank 5: no member is there",
                  "faults.slow of rank 0: it begins after the training's end",
                  "faults.links of star_link_40: it carries nothing",
                  "faults.traffic of node-5 to node-6: it shares no link with the job's "
                  "messages",
                  "transport: simulations know nothing of it", HasSubstr("faults.fail of rank 1: "),
                  "faults.repeats: all seeds give the same times"));
  EXPECT_NEAR(result.lost->lost(), 0, 1e-12);
}

// Its files would begin anew with each stretch of the job.
TEST(Runs, FailuresOnAPlatformThatChangesAreRefused) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("tandem-changing-" + std::to_string(getpid()) + ".xml");
  std::ofstream(file) << R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="all" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="way" bandwidth="1GBps" latency="0" bandwidth_file="way.bw"/>
<route src="a" dst="b"><link_ctn id="way"/></route>
</zone></platform>)";
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.platform = file;
  scenario.faults.fail = {{.target = {.host = {}, .rank = 1}, .at = 0.001}};
  EXPECT_THAT(error_of(scenario), HasSubstr("changes by files in the course of time"));
  std::filesystem::remove(file);
}

TEST(Runs, AFailureCostsWorkAndTimeAndWorkers) {
  Scenario scenario = scenario_of("all_reduce", 4, 20);
  const Seconds whole = predict(scenario).lost->total;
  scenario.faults.fail = {{.target = {.host = "node-2", .rank = {}}, .at = 0.52 * whole}};
  scenario.faults.recovery = {
      .checkpoint_every = 5, .write = 0.001 * whole, .detection = 1, .restart = 2, .read = 3};
  const PointResult result = predict(scenario);
  EXPECT_EQ(lost_to(result, "detection"), 1);
  EXPECT_EQ(lost_to(result, "restart"), 2);
  EXPECT_EQ(lost_to(result, "reading checkpoints"), 3);
  EXPECT_GT(lost_to(result, "work lost"), 0);
  EXPECT_GT(lost_to(result, "fewer workers"), 0);
  EXPECT_NEAR(result.lost->undisturbed, whole, 1e-12);
  EXPECT_NEAR(sum_of(*result.lost), result.lost->total, 1e-9);
  EXPECT_EQ(result.environment["failures"].back()["workers"], 3);
  EXPECT_NEAR(result.environment["failures"].back()["seconds"].get<double>(), result.lost->total,
              1e-9);
}

TEST(Runs, ALostServerIsReplaced) {
  Scenario scenario = scenario_of("parameter_server", 2, 10);
  const Seconds whole = predict(scenario).lost->total;
  scenario.faults.fail = {{.target = {.host = {}, .rank = 2}, .at = 0.5 * whole}};
  scenario.faults.recovery = {.checkpoint_every = 1, .restart = 2};
  const PointResult result = predict(scenario);
  EXPECT_EQ(lost_to(result, "restart"), 2);
  EXPECT_EQ(result.environment["failures"].back()["workers"], 2);
  EXPECT_NEAR(sum_of(*result.lost), result.lost->total, 1e-9);
}

TEST(Runs, TooFewWorkersAreAnError) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.faults.fail = {{.target = {.host = {}, .rank = 1}, .at = 0}};
  scenario.faults.recovery.min_workers = 2;
  EXPECT_THAT(error_of(scenario), HasSubstr("leaves 1 worker"));
  scenario.faults.fail[0].target = {.host = "node-l", .rank = {}};
  EXPECT_THAT(error_of(scenario), HasSubstr("has no host 'node-l'; the nearest is 'node-"));
}

TEST(Runs, LinksCarryWhatTheirHostsSend) {
  const PointResult result = predict(scenario_of("all_reduce", 4));
  EXPECT_EQ(result.links.carriers, 8);  // each host's, both ways
  double bytes = 0;
  for (const LinkUsage::Link& link : result.links.links) {
    bytes += link.bytes;
    double in_bins = 0;
    for (const double bin : link.bins) in_bins += bin;
    EXPECT_NEAR(in_bins, link.bytes, 1e-6 * link.bytes);
    EXPECT_LE(result.links.peak(link), 1 + 1e-9);
  }
  EXPECT_NEAR(bytes, 8 * *result.summary.sent_bytes_per_worker, 1e-6 * bytes);
  EXPECT_THAT(result.environment["without_effect"], IsEmpty());
}

TEST(Runs, DevicesThatDifferAreNotTakenToStartTogether) {
  Scenario scenario = scenario_of("all_reduce", 8);
  scenario.platform = test_platform("backbone");
  scenario.device = "test";
  scenario.faults.compute = NoiseSpec{.distribution = "lognormal", .sigma = 0.2};
  EXPECT_EQ(predict(scenario).environment["executor"], "exact");
}

}  // namespace
}  // namespace tandem
