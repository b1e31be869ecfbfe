// Parameter servers in simulated time: who waits for whom, and what is applied in which order.

#include <gmock/gmock.h>

#include "core/base/paths.h"
#include "core/model/zoo.h"
#include "core/strategies/strategy.h"
#include "sim/simulate.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

constexpr int kIterations = 12;
constexpr Seconds kFast = 1;  // an iteration of a worker by itself
constexpr Seconds kSlow = 5;

Scenario scenario_of(int workers) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 32;
  scenario.optimizer.learning_rate = 1;
  scenario.iterations = kIterations;
  scenario.algorithm.name = "parameter_server";
  scenario.algorithm.bucket_bytes = 20'000;
  scenario.workers = workers;
  scenario.platform = test_platform("star");
  return scenario;
}

struct Outcome {
  std::vector<double> ends;  ///< of every worker's last iteration; not of worker 1
  double moved = 0;          ///< of a weight, from its initial value
  double stalest = 0;        ///< update that was applied
};

/// Runs the members without a network: worker r's gradients are r + 1; the last worker is slow.
Outcome run(const Scenario& scenario) {
  const LayerGraph graph = build_model("mnist_cnn");
  const int layers = static_cast<int>(graph.layers().size());
  JobOptions options;
  options.depth = Depth::kPayload;
  options.executor = ExecutorKind::kExact;
  options.devices.assign(
      scenario.members(),
      {[](const Kernel& kernel, int) { return kernel.flops; }, [](std::size_t) { return 0.0; }});
  MemberDevice server = options.devices[0];
  server.kernel_time = [](const Kernel&, int) { return 0.0; };
  for (int rank = scenario.workers; rank < scenario.members(); ++rank) {
    options.devices[rank] = server;
  }
  const auto ends =
      run_job("star", scenario.members(), options, [&](Worker& worker, std::span<double> values) {
        const int rank = worker.group().rank;
        if (is_server(scenario, rank)) {
          Checkpoints none(scenario, worker, false, kIterations, 0);
          const Buffer shard = serve(scenario, graph, worker, kIterations, none);
          const auto& histogram = worker.record().staleness();
          values[rank] = histogram.empty() ? -1 : histogram.rbegin()->first;
          return;
        }
        Replica replica(scenario, graph, worker);
        const float initial = replica.parameters.view().floats()[0];
        const auto strategy = make_strategy(replica);
        strategy->begin_leg({.first = 0, .end = kIterations});
        for (int i = 0; i < kIterations; ++i) {
          replica.begin_step();
          strategy->begin_iteration();
          for (int layer = 1; layer < layers; ++layer) strategy->before_forward(layer);
          pass(worker, rank + 1 == scenario.workers ? kSlow : kFast);
          std::ranges::fill(replica.gradients.view().floats(), static_cast<float>(rank + 1));
          for (int layer = layers - 1; layer > 0; --layer) strategy->gradient_ready(layer);
          strategy->end_iteration();
        }
        values[rank] = worker.now();
        strategy->end_leg();
        strategy->finish();
        if (rank == 1) values[rank] = replica.parameters.view().floats()[0] - initial;
      });
  Outcome outcome;
  outcome.ends.assign(ends.begin(), ends.begin() + scenario.workers);
  outcome.moved = ends[1];
  outcome.stalest = ends[scenario.workers];
  return outcome;
}

constexpr Seconds kMessages = 0.1;  // more than all messages of a run take

TEST(ParameterServer, SynchronousWorkersWaitForTheSlowest) {
  const Outcome outcome = run(scenario_of(3));
  // Nobody waits for what the slow worker does after its last pull.
  EXPECT_NEAR(outcome.ends[0], (kIterations - 1) * kSlow + kFast, kMessages);
  EXPECT_NEAR(outcome.moved, -2.0 * kIterations, 1e-4);  // (1 + 2 + 3) / 3
}

TEST(ParameterServer, WithABackupWorkerNobodyWaitsForTheSlowestAndItsGradientsAreDropped) {
  for (const int servers : {1, 2}) {
    Scenario scenario = scenario_of(3);
    scenario.algorithm.backup_workers = 1;
    scenario.algorithm.server_count = servers;
    const Outcome outcome = run(scenario);
    EXPECT_NEAR(outcome.ends[0], kIterations * kFast, kMessages);
    EXPECT_NEAR(outcome.ends[2], kIterations * kSlow, kMessages);
    EXPECT_NEAR(outcome.moved, -1.5 * kIterations, 1e-4);  // (1 + 2) / 2
  }
}

TEST(ParameterServer, AsynchronousWorkersGoAtTheirOwnPace) {
  Scenario scenario = scenario_of(3);
  scenario.algorithm.mode = ServerMode::kAsynchronous;
  const Outcome outcome = run(scenario);
  EXPECT_NEAR(outcome.ends[0], kIterations * kFast, kMessages);
  EXPECT_NEAR(outcome.ends[2], kIterations * kSlow, kMessages);
  EXPECT_NEAR(outcome.moved, -6.0 * kIterations, 1e-3);  // all gradients, each at the full rate
  // While the slow worker computes, each of the fast ones updates kSlow / kFast times.
  EXPECT_NEAR(outcome.stalest, 2 * kSlow / kFast, 1);
}

TEST(ParameterServer, AStaleSynchronousWorkerIsAtMostItsBoundAhead) {
  for (const int bound : {0, 1, 3}) {
    Scenario scenario = scenario_of(3);
    scenario.algorithm.mode = ServerMode::kStaleSynchronous;
    scenario.algorithm.staleness = bound;
    const Outcome outcome = run(scenario);
    // Iteration c begins once the slow worker's c - s are in the weights.
    EXPECT_NEAR(outcome.ends[0], (kIterations - 1 - bound) * kSlow + kFast, kMessages) << bound;
    EXPECT_LE(outcome.stalest, 2 * (2 * bound + 1)) << bound;
    EXPECT_NEAR(outcome.moved, -6.0 * kIterations, 1e-3) << bound;
  }
}

Seconds exposed_communication(const Scenario& scenario) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        values[0] = *simulate(scenario).summary.exposed_communication_s;
      },
      1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
  return outcome.values[0];
}

// Most of vgg16's weights belong to its last layers, which forward needs last.
TEST(ParameterServer, PullsOverlapWithTheForwardPassTheFrontLayersFirst) {
  Scenario scenario = scenario_of(2);
  scenario.model.name = "vgg16";
  scenario.iterations = 2;
  scenario.algorithm.bucket_bytes = 4'000'000;
  const Seconds early = exposed_communication(scenario);
  scenario.algorithm.early_pull = false;
  const Seconds with_both = exposed_communication(scenario);
  scenario.algorithm.priority = false;
  const Seconds without_priority = exposed_communication(scenario);
  scenario.algorithm.pull_overlap = false;
  const Seconds without_pull_overlap = exposed_communication(scenario);
  scenario.algorithm.overlap = false;
  const Seconds without_overlap = exposed_communication(scenario);
  EXPECT_LT(early, 0.7 * with_both);
  EXPECT_LT(with_both, 0.99 * without_priority);
  EXPECT_LT(without_priority, 0.99 * without_pull_overlap);
  EXPECT_LT(without_pull_overlap, 0.99 * without_overlap);
}

// Weights that are pulled early would else be waited for between two iterations.
TEST(ParameterServer, EvaluationsTakeNothingOutOfAnIteration) {
  Scenario scenario = scenario_of(2);
  scenario.simulation.depth = Depth::kPayload;
  std::vector<double> received;
  for (const bool evaluates : {false, true}) {
    if (evaluates) scenario.evaluate_every = 1;
    const ChildOutcome outcome = in_child(
        [&](std::span<double> values) {
          values[0] = *simulate(scenario).summary.received_bytes_per_worker;
        },
        1);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.message;
    received.push_back(outcome.values[0]);
  }
  EXPECT_GT(received[0], 0);
  EXPECT_EQ(received[0], received[1]);
}

TEST(MessagesInTurn, GoTwoAtATime) {
  constexpr int kMessages = 4;
  constexpr std::size_t kBytes = 10'000'000;
  JobOptions options;
  options.depth = Depth::kSizes;
  options.executor = ExecutorKind::kExact;
  options.devices.assign(2,
                         {[](const Kernel&, int) { return 0.0; }, [](std::size_t) { return 0.0; }});
  const auto arrivals =
      run_job("star", kMessages, options, [&](Worker& worker, std::span<double> values) {
        const Buffer buffer = worker.allocate(kBytes, DType::kByte);
        std::vector<Handle> handles;
        for (Tag tag = 0; tag < kMessages; ++tag) {
          handles.push_back(worker.group().rank == 0 ? worker.send_in_turn(1, tag, buffer.view())
                                                     : worker.receive(0, tag, buffer.view()));
        }
        for (int i = 0; i < kMessages; ++i) {
          worker.wait(handles[i]);
          if (worker.group().rank == 1) values[i] = worker.now();
        }
      });
  const Seconds all = arrivals[3];
  EXPECT_NEAR(arrivals[0], all / 2, 0.01 * all);
  EXPECT_NEAR(arrivals[1], all / 2, 0.01 * all);
  EXPECT_NEAR(arrivals[2], all, 0.01 * all);
}

// A thousand flows at once over several links each.
TEST(ParameterServer, SharesLinksAmongEveryLayersGradients) {
  Scenario scenario = scenario_of(4);
  scenario.model.name = "resnet50";
  scenario.iterations = 2;
  scenario.algorithm.bucket_bytes = 0;
  scenario.algorithm.priority = false;
  scenario.platform = find_resource("platforms", "gce_k80x8", "xml");
  EXPECT_GT(exposed_communication(scenario), 0);
}

TEST(ParameterServer, MoreServersTakeLess) {
  Scenario scenario = scenario_of(4);
  scenario.model.name = "vgg16";
  scenario.iterations = 2;
  scenario.algorithm.bucket_bytes = 4'000'000;
  const Seconds one = exposed_communication(scenario);
  scenario.algorithm.server_count = 4;
  const Seconds four = exposed_communication(scenario);
  scenario.algorithm.placement = Placement::kWorkers;
  const Seconds on_workers = exposed_communication(scenario);
  EXPECT_LT(four, one / 2);
  EXPECT_LT(on_workers, one / 2);
}

std::string warning_of(const Scenario& scenario) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const PointResult result = simulate(scenario);
    const auto warnings = result.environment.value("warnings", std::vector<std::string>{"none"});
    throw std::runtime_error(warnings.at(0));
  });
  return outcome.message;
}

TEST(ParameterServer, LessBandwidthOfServersThanOfWorkersIsSaid) {
  Scenario scenario = scenario_of(4);
  scenario.iterations = 1;
  EXPECT_EQ(warning_of(scenario),
            "the 1 server has 1000 MB/s of bandwidth in all, less than the 4000 MB/s of the 4 "
            "workers: it may be the servers' links that the workers wait for; algorithm.servers: 4 "
            "would match them");
  scenario.algorithm.server_count = 3;
  EXPECT_THAT(warning_of(scenario), HasSubstr("the 3 servers have 3000 MB/s"));
  scenario.algorithm.placement = Placement::kWorkers;
  EXPECT_THAT(warning_of(scenario), HasSubstr("the 3 servers have 3000 MB/s"));
  scenario.algorithm.server_count = 4;
  EXPECT_EQ(warning_of(scenario), "none");
  scenario.algorithm.placement = Placement::kDedicated;
  EXPECT_EQ(warning_of(scenario), "none");
  scenario.algorithm.name = "all_reduce";
  EXPECT_EQ(warning_of(scenario), "none");
}

TEST(ParameterServer, LessBandwidthIsNotSaidWhereNobodyWaits) {
  Scenario scenario = scenario_of(2);
  scenario.iterations = 3;
  scenario.faults.slow = {{.target = {.rank = 0}, .factor = 1e4},
                          {.target = {.rank = 1}, .factor = 1e4}};
  EXPECT_EQ(warning_of(scenario), "none");
}

#ifdef TANDEM_CPU
TEST(ParameterServer, AsynchronousRunsOfOneSeedAreTheSame) {
  for (const char* algorithm : {"parameter_server", "elastic_averaging"}) {
    Scenario scenario = scenario_of(3);
    scenario.batch_size = 8;
    scenario.optimizer.learning_rate = 0.02;
    scenario.algorithm.name = algorithm;
    scenario.algorithm.mode = ServerMode::kAsynchronous;
    scenario.algorithm.local_steps = 2;
    scenario.algorithm.server_count = 2;
    scenario.simulation.depth = Depth::kPayload;
    std::vector<std::string> runs;
    for (int i = 0; i < 2; ++i) {
      const ChildOutcome outcome = in_child([&](std::span<double>) {
        std::string result;
        for (const MemberResult& member : simulate(scenario).members) {
          result += to_json(member)["staleness"].dump() + member.weights_hash + " ";
        }
        throw std::runtime_error(result);
      });
      runs.push_back(outcome.message);
    }
    EXPECT_EQ(runs[0], runs[1]);
    EXPECT_THAT(runs[0], HasSubstr("[["));
  }
}
#endif

}  // namespace
}  // namespace tandem
