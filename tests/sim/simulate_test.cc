// A whole scenario point, from the scenario to its result.

#include "sim/simulate.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/model/custom.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

constexpr int kWarmup = 2;
constexpr int kTimedIterations = 5;

Scenario scenario_of(const std::string& algorithm, int workers) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 32;
  scenario.iterations = kTimedIterations;
  scenario.algorithm.name = algorithm;
  scenario.workers = workers;
  scenario.platform = test_platform("star");
  return scenario;
}

/// Bytes of the model's parameters.
double model_bytes() {
  ModelSpec spec;
  spec.name = "mnist_cnn";
  return 4.0 * static_cast<double>(build_model(spec).parameter_elements());
}

std::string error_of(const Scenario& scenario) {
  const ChildOutcome outcome = in_child([&](std::span<double>) { simulate(scenario); });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  return outcome.message;
}

TEST(Simulate, OneWorkerOnlyComputes) {
  in_good_child([] {
    int last = 0;
    const PointResult result =
        simulate(scenario_of("none", 1), [&](int done, int) { last = done; });
    const Summary& summary = result.summary;
    EXPECT_EQ(last, kTimedIterations + 2);
    EXPECT_EQ(summary.device, "test");
    EXPECT_GT(*summary.compute_s, 0);
    EXPECT_NEAR(*summary.iteration_s, *summary.compute_s, 1e-9);
    EXPECT_NEAR(*summary.images_per_s, 32 / *summary.iteration_s, 1e-6);
    EXPECT_EQ(*summary.sent_bytes_per_worker, 0);
    EXPECT_EQ(result.environment["executor"], "exact");
  });
}

TEST(Simulate, RingMovesTwiceNMinusOneNthsOfTheModel) {
  in_good_child([] {
    const PointResult result = simulate(scenario_of("all_reduce", 4));
    EXPECT_NEAR(*result.summary.sent_bytes_per_worker,
                kTimedIterations * 2.0 * 3 / 4 * model_bytes(), kTimedIterations * 6 * 4);
    EXPECT_GT(*result.summary.exposed_communication_s, 0);
    EXPECT_EQ(result.environment["messages"], (kTimedIterations + 2) * 6 * 4);
    EXPECT_EQ(result.members.size(), 4U);
  });
}

TEST(Simulate, KnowsHowLinksHangTogetherAndWhatEachCarried) {
  in_good_child([] {
    Scenario scenario = scenario_of("all_reduce", 4);
    scenario.simulation.extrapolate = false;
    const PointResult result = simulate(scenario);
    std::set<std::string> hosts, switches;
    ASSERT_EQ(result.links.wired.size(), 8U);
    for (const WiredLink& link : result.links.wired) {
      EXPECT_NEAR(link.bytes, (kTimedIterations + 2) * 2.0 * 3 / 4 * model_bytes(), 500)
          << link.name;
      EXPECT_NEAR(*result.links.share(link), link.bytes / (*link.bandwidth * result.links.end),
                  1e-12);
      const bool comes = link.from.starts_with("switch");
      hosts.insert(comes ? link.to : link.from);
      switches.insert(comes ? link.from : link.to);
    }
    EXPECT_EQ(hosts.size(), 4U);
    EXPECT_EQ(switches, std::set<std::string>{"switch 1"});
    const LinkUsage again = link_usage_from_json(to_json(result.links));
    EXPECT_EQ(again.wired.size(), 8U);
    EXPECT_EQ(again.wired[0].to, result.links.wired[0].to);
    EXPECT_EQ(again.wired[0].bytes, result.links.wired[0].bytes);
  });
}

/// What two workers wait for a ring without overlap, which takes latencies and bytes ÷ bandwidth.
double exposed(const SimulationSpec& simulation) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.algorithm.overlap = false;
  scenario.simulation = simulation;
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        values[0] = *simulate(scenario).summary.exposed_communication_s;
      },
      1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return outcome.values[0];
}

TEST(Simulate, FactorsScaleLatencyAndBandwidthByThemselves) {
  const double now = exposed({});
  const double latencies = (exposed({.latency_factor = 3}) - now) / 2;
  const double bytes = 2 * (now - exposed({.bandwidth_factor = 2}));
  EXPECT_GT(latencies, 0);
  EXPECT_GT(bytes, 0);
  EXPECT_NEAR(exposed({.bandwidth_factor = 0.25, .latency_factor = 5}),
              now + 4 * latencies + 3 * bytes, 1e-9);
}

TEST(Simulate, AComputeFactorMakesAnotherDevice) {
  in_good_child([] {
    Scenario scenario = scenario_of("none", 1);
    scenario.simulation.compute_factor = 2.5;
    EXPECT_EQ(simulate(scenario).summary.device, "test x2.5");
  });
  double compute[2];
  for (const int factor : {1, 2}) {
    const ChildOutcome outcome = in_child(
        [&](std::span<double> values) {
          Scenario scenario = scenario_of("none", 1);
          scenario.simulation.compute_factor = factor;
          values[0] = *simulate(scenario).summary.compute_s;
        },
        1);
    compute[factor - 1] = outcome.values.at(0);
  }
  EXPECT_NEAR(compute[1], compute[0] / 2, 1e-12);
}

TEST(Simulate, KeepsTheIterationsThatAreTraced) {
  in_good_child([] {
    Scenario scenario = scenario_of("all_reduce", 2);
    scenario.iterations = 60;
    scenario.trace.iterations = 20;
    const PointResult result = simulate(scenario);
    EXPECT_EQ(result.environment["extrapolated_after_iterations"], 23);
    std::set<int> traced;
    for (const Span& span : result.members[0].spans) traced.insert(span.iteration);
    EXPECT_EQ(traced.size(), 20U);
  });
}

// Results of members alike are kept as one from 1,024 on, and their messages are still between all.
TEST(Simulate, ManyMembersThatSendToEachOtherHaveTheirHosts) {
  for (const char* algorithm : {"all_reduce", "pairwise_averaging", "parameter_server"}) {
    in_good_child([algorithm] {
      Scenario scenario = scenario_of(algorithm, 1100);
      scenario.platform = "star";
      scenario.topology.emplace().name = "star";
      scenario.topology->bandwidth = 1e9;
      scenario.topology->latency = 1e-6;
      scenario.simulation.fold = false;
      scenario.iterations = 1;
      scenario.warmup_iterations = 0;
      scenario.device = "v100";
      const nlohmann::json network = simulate(scenario).environment["network"];
      EXPECT_EQ(network["hosts"].size(), static_cast<std::size_t>(scenario.members())) << algorithm;
    });
  }
}

TEST(Simulate, HostsThatNobodyUsesAreCounted) {
  in_good_child([] {
    const PointResult result = simulate(scenario_of("all_reduce", 2));
    EXPECT_EQ(result.environment["platform_without_effect"],
              nlohmann::json({"the last 62 of the platform's 64 hosts: no member is there, and "
                              "their links carry nothing"}));
  });
}

TEST(CheckPoints, TellWhichCanBeRunAndWhatTheyFollowFrom) {
  in_good_child([] {
    std::vector<Scenario> points = {scenario_of("all_reduce", 2), scenario_of("all_reduce", 10000),
                                    scenario_of("all_reduce", 3)};
    points[2].algorithm.collective = "auto";
    const std::vector<PointCheck> checks = check_points(points);
    ASSERT_EQ(checks.size(), 3U);
    EXPECT_EQ(checks[0].error, "");
    EXPECT_THAT(checks[1].error, HasSubstr("but the scenario has 10000 members"));
    EXPECT_EQ(checks[2].error, "");
    EXPECT_EQ(checks[0].inputs.size(), 16U);
    EXPECT_EQ(checks[0].inputs, checks[2].inputs) << "the same platform and device";
    EXPECT_THAT(checks[0].of_unknown_memory, testing::ElementsAre("test"));
  });
}

TEST(Simulate, ServerTrafficGrowsWithItsWorkers) {
  for (const int workers : {1, 3}) {
    in_good_child([workers] {
      const PointResult result = simulate(scenario_of("parameter_server", workers));
      EXPECT_EQ(*result.summary.server_received_bytes, kTimedIterations * workers * model_bytes());
      EXPECT_EQ(*result.summary.server_sent_bytes, kTimedIterations * workers * model_bytes());
    });
  }
}

/// By iteration, warm-up included: what `count` says of the members of one role together.
std::vector<std::uint64_t> by_iteration(const PointResult& result, bool servers,
                                        std::uint64_t Traffic::*count) {
  std::vector<std::uint64_t> sums(kWarmup + kTimedIterations);
  for (const MemberResult& member : result.members) {
    if (member.is_server != servers) continue;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += member.iterations[i].traffic.*count;
  }
  return sums;
}

TEST(Simulate, AServersTrafficBelongsToTheIterationOfTheWorkerThatItIsFor) {
  std::vector<Scenario> scenarios(6, scenario_of("parameter_server", 3));
  scenarios[1].algorithm.early_pull = false;
  scenarios[2].algorithm.mode = ServerMode::kAsynchronous;
  scenarios[2].algorithm.push_every = 2;
  scenarios[2].algorithm.pull_every = 3;
  scenarios[3].algorithm.mode = ServerMode::kStaleSynchronous;
  scenarios[3].algorithm.staleness = 1;
  scenarios[4].algorithm.priority = false;
  scenarios[5] = scenario_of("elastic_averaging", 3);
  scenarios[5].algorithm.local_steps = 2;
  for (Scenario& scenario : scenarios) {
    scenario.algorithm.bucket_bytes = 20'000;  // pieces that overtake each other's iterations
    in_good_child([scenario] {
      const PointResult result = simulate(scenario);
      const auto of = [&](bool servers, auto count) {
        return by_iteration(result, servers, count);
      };
      EXPECT_EQ(of(true, &Traffic::sent_bytes), of(false, &Traffic::received_bytes));
      EXPECT_EQ(of(true, &Traffic::received_bytes), of(false, &Traffic::sent_bytes));
    });
  }
}

TEST(Simulate, ZeroMovesWhatThePaperSays) {
  for (const int stage : {0, 1, 2, 3}) {
    Scenario scenario = scenario_of("zero", 4);
    scenario.algorithm.stage = stage;
    in_good_child([&] {
      const PointResult result = simulate(scenario);
      const int passes = stage == 3 ? 3 : 2;
      EXPECT_EQ(*result.summary.sent_bytes_per_worker,
                kTimedIterations * passes * 3.0 / 4 * model_bytes());
    });
  }
}

TEST(Simulate, PredictsThePeakOfMemory) {
  double peaks[4] = {};
  for (const int stage : {0, 1, 2, 3}) {
    Scenario scenario = scenario_of("zero", 4);
    scenario.algorithm.stage = stage;
    scenario.algorithm.bucket_bytes = 5000;
    scenario.optimizer.name = "adam";
    const ChildOutcome outcome = in_child(
        [&](std::span<double> values) {
          const PointResult result = simulate(scenario);
          values[0] = *result.summary.peak_memory_bytes;
          values[1] = result.environment["memory"]["predicted"]["total"];
        },
        2);
    peaks[stage] = outcome.values[0];
    EXPECT_EQ(outcome.values[0], outcome.values[1]) << stage;
    EXPECT_GT(peaks[stage], 0);
    if (stage > 0) {
      EXPECT_LT(peaks[stage], peaks[stage - 1]) << stage;
    }
  }
}

TEST(Simulate, RefusesWhatDoesNotFitTheDevice) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.model.name = "vgg16";
  scenario.batch_size = 512;
  scenario.platform = "gcp_k80";
  const std::string error = error_of(scenario);
  EXPECT_THAT(error, HasSubstr("scenario test: a worker needs "));
  EXPECT_THAT(error, HasSubstr("but device k80 of rank 0 has 12 GB: "));
  EXPECT_THAT(error, HasSubstr(" GB short; lower batch_size"));
  scenario.batch_size = 32;
  in_good_child([&] { simulate(scenario); });
}

TEST(Simulate, TheSameScenarioTakesTheSameTime) {
  double times[2] = {};
  for (double& time : times) {
    const ChildOutcome outcome = in_child(
        [](std::span<double> values) {
          values[0] = *simulate(scenario_of("all_reduce", 8)).summary.iteration_s;
        },
        1);
    time = outcome.values[0];
  }
  EXPECT_GT(times[0], 0);
  EXPECT_EQ(times[0], times[1]);
}

TEST(Simulate, ExecutorsGiveTheSameIterationTime) {
  double times[2] = {};
  for (const ExecutorKind kind : {ExecutorKind::kExact, ExecutorKind::kFused}) {
    Scenario scenario = scenario_of("all_reduce", 16);
    scenario.simulation.executor = kind;
    const ChildOutcome outcome = in_child(
        [&](std::span<double> values) { values[0] = *simulate(scenario).summary.iteration_s; }, 1);
    times[kind == ExecutorKind::kFused] = outcome.values[0];
  }
  EXPECT_GT(times[0], 0);
  EXPECT_NEAR(times[1] / times[0], 1, 1e-9);
}

TEST(Simulate, AveragingOfWeightsMovesWhatItsClosedFormSays) {
  for (const int workers : {2, 3, 7, 32}) {
    const double n = workers;
    const std::map<std::string, double> models_an_iteration = {
        {"pairwise_averaging", workers % 2 == 0 ? 1 : (n - 1) / n},
        {"sgp", 1},
        {"local_sgd", 2 * (n - 1) / n}};
    for (const auto& [algorithm, models] : models_an_iteration) {
      in_good_child([&, algorithm = algorithm, models = models] {
        const Summary summary = simulate(scenario_of(algorithm, workers)).summary;
        EXPECT_NEAR(*summary.sent_bytes_per_worker, kTimedIterations * models * model_bytes(),
                    kTimedIterations * 4 * n)
            << algorithm;
      });
    }
  }
}

// An active worker averages once an iteration; a passive one as often as it is asked, at the latest
// when all steps are done.
void expect_staleness_of_ad_psgd(const std::vector<MemberResult>& members, int exchanges) {
  using Histogram = std::map<int, std::uint64_t>;
  std::uint64_t averagings = 0;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const Histogram& histogram = members[rank].staleness;
    if (rank % 2 == 0) {
      EXPECT_EQ(histogram, (Histogram{{1, kTimedIterations + 2}}));
      continue;
    }
    std::uint64_t steps = 0;
    for (const auto& [staleness, count] : histogram) {
      steps += count;
      averagings += staleness * count;
    }
    EXPECT_EQ(steps, kTimedIterations + 2);
  }
  EXPECT_GT(averagings, 0);
  EXPECT_LE(averagings, exchanges);
}

// Counted over the whole job, for a passive worker may answer in an iteration what an active one
// asked in another.
TEST(Simulate, ActiveWorkersOfAdPsgdExchangeTheModelOnceAnIteration) {
  for (const int workers : {2, 3, 7, 32}) {
    in_good_child([workers] {
      const PointResult result = simulate(scenario_of("ad_psgd", workers));
      const double n = workers;
      double sent = 0;
      for (const MemberResult& member : result.members) {
        sent += static_cast<double>(member.traffic.sent_bytes);
      }
      const double exchanges = (workers + 1) / 2 * (kTimedIterations + 2);
      EXPECT_NEAR(sent, (2 * exchanges + 2 * (n - 1)) * model_bytes(), 8 * n * n);
      expect_staleness_of_ad_psgd(result.members, static_cast<int>(exchanges));
    });
  }
}

TEST(Simulate, ChoosesTheCollectiveByThePlatform) {
  in_good_child([] {
    Scenario scenario = scenario_of("all_reduce", 4);
    scenario.algorithm.collective = "auto";
    const PointResult result = simulate(scenario);
    EXPECT_EQ(result.summary.algorithm, "auto");
    EXPECT_GT(*result.summary.sent_bytes_per_worker, 0);
    EXPECT_FALSE(result.environment["collectives"].empty());
  });
}

// One iteration in eight communicates, so that a median over iterations would never see it.
TEST(Simulate, CountsCommunicationThatIsRare) {
  in_good_child([] {
    Scenario scenario = scenario_of("local_sgd", 4);
    scenario.iterations = 16;
    scenario.warmup_iterations = 0;
    scenario.algorithm.local_steps = 8;
    const PointResult result = simulate(scenario);
    const auto& iterations = result.members[0].iterations;
    const double mean = (iterations.back().end - iterations.front().begin) / 16;
    EXPECT_NEAR(*result.summary.iteration_s, mean, 1e-9 * mean);
    EXPECT_GT(*result.summary.exposed_communication_s, 0);
  });
}

TEST(Simulate, MoreMembersThanHostsIsAnError) {
  EXPECT_THAT(error_of(scenario_of("parameter_server", 64)),
              HasSubstr("has 64 hosts, but the scenario has 65 members"));
}

TEST(Simulate, ADeviceThatIsNotThereIsAnError) {
  Scenario scenario = scenario_of("all_reduce", 4);
  scenario.platform = test_platform("half_duplex");
  EXPECT_THAT(error_of(scenario), HasSubstr("host node-0 names no device"));
  scenario.device = "no_such_device";
  EXPECT_THAT(error_of(scenario), HasSubstr("no_such_device"));
}

#ifdef TANDEM_CPU
TEST(Simulate, PayloadLearnsInSimulatedTime) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.simulation.depth = Depth::kPayload;
  in_good_child([&] {
    const PointResult result = simulate(scenario);
    EXPECT_EQ(result.summary.final_weights_hash.size(), 16U);
    EXPECT_TRUE(result.summary.accuracy);
    EXPECT_LT(result.members[0].iterations.back().loss, result.members[0].iterations.front().loss);
  });
}

/// All that a run says of itself and that isn't a time of this machine.
std::string figures_of(const PointResult& result) {
  std::string figures = to_json(result.summary).dump();
  for (const MemberResult& member : result.members) figures += to_json(member).dump();
  return figures;
}

/// The same for the same figures; exact as a double.
double fingerprint(const std::string& text) {
  const std::string hash = fnv1a_hex(std::as_bytes(std::span(text)));
  return static_cast<double>(std::stoull(hash.substr(0, 12), nullptr, 16));
}

TEST(Simulate, AnAsynchronousRunIsTheSameUnderASeed) {
  std::vector<double> runs;
  for (const int seed : {1, 1, 2}) {
    Scenario scenario = scenario_of("ad_psgd", 5);
    scenario.simulation.depth = Depth::kPayload;
    scenario.seed = seed;
    runs.push_back(in_child(
                       [&](std::span<double> values) {
                         values[0] = fingerprint(figures_of(simulate(scenario)));
                       },
                       1)
                       .values[0]);
  }
  EXPECT_GT(runs[0], 0);
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(Simulate, EvaluationsTakeNoTimeAndChangeNothing) {
  for (const char* algorithm : {"pairwise_averaging", "ad_psgd"}) {
    Scenario scenario = scenario_of(algorithm, 3);
    scenario.simulation.depth = Depth::kPayload;
    std::string summaries[2];
    for (const bool evaluates : {false, true}) {
      if (evaluates) scenario.evaluate_every = 3;
      const ChildOutcome outcome = in_child(
          [&](std::span<double> values) {
            const PointResult result = simulate(scenario);
            values[0] = fingerprint(to_json(result.summary).dump());
            const auto& evaluations = result.members[0].evaluations;
            ASSERT_EQ(evaluations.size(), evaluates ? 3U : 1U);  // 3, 6, and the last of 7
            EXPECT_EQ(evaluations.back().iteration, 7);
            EXPECT_EQ(evaluations.back().accuracy, result.summary.accuracy);
            for (const Evaluation& evaluation : evaluations) {
              EXPECT_NEAR(evaluation.time, evaluation.iteration * *result.summary.iteration_s,
                          0.5 * evaluation.time);
            }
          },
          1);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
      summaries[evaluates] = std::to_string(outcome.values[0]);
    }
    EXPECT_EQ(summaries[0], summaries[1]) << algorithm;
  }
}
#else
TEST(Simulate, PayloadWithoutACpuDeviceIsAnError) {
  Scenario scenario = scenario_of("all_reduce", 2);
  scenario.simulation.depth = Depth::kPayload;
  EXPECT_THAT(error_of(scenario), HasSubstr("-DTANDEM_CPU=ON"));
}
#endif

}  // namespace
}  // namespace tandem
