#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/paths.h"
#include "core/collectives/all_reduce.h"
#include "core/scenario/algorithms.h"
#include "core/scenario/to_yaml.h"
#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

Scenario one(const std::string& content, const std::vector<std::string>& overrides = {}) {
  return load_text(content, overrides).points.at(0);
}

TEST(Topology, IsReadAndWrittenBack) {
  const std::string yaml =
      "platform: {topology: cluster, bandwidth: 0.3 Gbit/s, latency: 5 us, rack_size: 4, "
      "uplink_bandwidth: 10 GB/s, device: v100, speed: 0.5, hosts: 8}\n";
  const Scenario scenario = one(kShort + yaml);
  ASSERT_TRUE(scenario.topology);
  EXPECT_EQ(scenario.platform,
            "cluster bandwidth=0.3 Gbit/s latency=5 us device=v100 speed=0.5 hosts=8 rack_size=4 "
            "uplink_bandwidth=80 Gbit/s");
  const Scenario back = load_text(to_json(scenario).dump()).points.at(0);
  EXPECT_EQ(back.platform, scenario.platform);
  EXPECT_EQ(to_json(back), to_json(scenario));
  EXPECT_EQ(back.topology->bandwidth, scenario.topology->bandwidth);
  EXPECT_EQ(back.topology->hosts, 8);
}

TEST(Topology, ListsAreReadAndWrittenBack) {
  const Scenario scenario = one(
      kShort + "platform: {topology: fat_tree, bandwidth: 1 GB/s, latency: 0, children: [4, 2]}");
  const Scenario back = load_text(to_json(scenario).dump()).points.at(0);
  EXPECT_EQ(back.topology->children, (std::vector{4, 2}));
  EXPECT_EQ(back.platform, "fat_tree bandwidth=8 Gbit/s latency=0 us children=4x2");
}

TEST(Topology, KeysCanBeSweptAndSet) {
  const ScenarioFile file =
      load_text(kShort + "platform: {topology: star, bandwidth: 1 GB/s, latency: 5 us}\n" +
                    "sweep: {platform.bandwidth: [1 Gbit/s, 10 Gbit/s]}",
                {"platform.latency=7 us"});
  ASSERT_EQ(file.points.size(), 2U);
  EXPECT_EQ(file.points[1].topology->bandwidth, 1.25e9);
  EXPECT_EQ(file.points[1].topology->latency, 7e-6);
  EXPECT_EQ(file.points[1].variant, "bandwidth=10 Gbit/s");
}

TEST(Topology, OfASweepIsToldByItsKind) {
  const ScenarioFile file = load_text(
      kShort + "sweep: {platform: [gcp_t4, {topology: star, bandwidth: 1 GB/s, latency: 5 us}]}");
  EXPECT_EQ(file.points[0].variant, "");
  EXPECT_EQ(file.points[1].variant, "star");
  EXPECT_EQ(file.points[1].platform, "star bandwidth=8 Gbit/s latency=5 us");
}

TEST(Topology, KeysOfAFileAreRefused) {
  try {
    load_text(kShort + "platform: gcp_k80", {"platform.bandwidth=1 GB/s"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("--set platform.bandwidth=1 GB/s: platform "
                                                  "gcp_k80 is a file, which has its own figures"));
  }
}

TEST(Sweep, PointsSayWhatNoColumnTells) {
  const ScenarioFile file = load_text(
      kShort +
      "sweep: {workers: [2], algorithm: [ring, {name: ring, overlap: false}], seed: [3, 4]}");
  ASSERT_EQ(file.points.size(), 4U);
  EXPECT_EQ(file.points[0].variant, "seed=3");
  EXPECT_EQ(file.points[3].variant, "overlap=false, seed=4");
  EXPECT_EQ(load_text(kShort + "sweep: {workers: [1, 2]}").points[0].variant, "");
}

TEST(Sweep, ASetBelowAnAxisIsOfAllItsValues) {
  for (const char* sweep :
       {"sweep: {algorithm: [parameter_server, {name: ring, bucket: 2 MB}], workers: [2]}",
        "sweep: [{algorithm: parameter_server}, {algorithm: {name: ring, bucket: 2 MB}}]"}) {
    const auto points =
        load_text(kShort + sweep, {"algorithm.overlap=false", "algorithm.bucket=1 MB"}).points;
    ASSERT_EQ(points.size(), 2U);
    for (const Scenario& point : points) {
      EXPECT_FALSE(point.algorithm.overlap);
      EXPECT_EQ(point.algorithm.bucket_bytes, 1'000'000U);
    }
    EXPECT_EQ(points[0].algorithm.name, "parameter_server");
    EXPECT_EQ(points[1].algorithm.name, "all_reduce");
  }
  // A listed point that does not have the key takes it as the scenario has it.
  const auto points = load_text(kShort +
                                    "algorithm: {name: ring, overlap: false}\n"
                                    "sweep: [{workers: 2}, {algorithm: ring}]",
                                {"algorithm.bucket=1 MB"})
                          .points;
  EXPECT_EQ(points[0].algorithm.bucket_bytes, 1'000'000U);
  EXPECT_EQ(points[1].algorithm.bucket_bytes, 1'000'000U);
  EXPECT_FALSE(points[0].algorithm.overlap);
  EXPECT_TRUE(points[1].algorithm.overlap);
}

TEST(Algorithm, ByItsNameAloneIsTheSameAsInAMap) {
  std::vector<std::string> names = all_reduce_names();
  for (const AlgorithmInfo& info : known_algorithms()) names.push_back(info.name);
  EXPECT_GT(names.size(), 12U);
  for (const std::string& name : names) {
    const Scenario alone = one(kShort + "algorithm: " + name);
    EXPECT_EQ(to_json(alone), to_json(one(kShort + "algorithm: {name: " + name + "}"))) << name;
    EXPECT_EQ(to_json(alone), to_json(one(kShort, {"algorithm=" + name}))) << name;
    EXPECT_EQ(to_json(alone), to_json(one(kShort, {"algorithm.name=" + name}))) << name;
  }
}

TEST(Algorithm, ExchangesElasticallyEveryTenIterationsWhereNoneAreGiven) {
  for (const char* algorithm : {"elastic_averaging", "{name: elastic_averaging}"})
    EXPECT_EQ(one(kShort + "algorithm: " + algorithm).algorithm.local_steps, 10) << algorithm;
}

TEST(Algorithm, IsARingWhereKeysOfItAreGivenAlone) {
  for (const Scenario& scenario :
       {one(kShort, {"algorithm.overlap=false"}), one(kShort + "algorithm: {overlap: false}"),
        one(kShort + "sweep: {algorithm.overlap: [false]}")}) {
    EXPECT_EQ(to_json(scenario), to_json(one(kShort + "algorithm: {name: ring, overlap: false}")));
    EXPECT_EQ(scenario.variant, "overlap=false");
  }
}

TEST(Sweep, TakesFactorsOfThePlatform) {
  const auto points = load_text(kShort +
                                "sweep: {simulation.bandwidth_factor: [0.5, 2], "
                                "simulation.compute_factor: [3]}")
                          .points;
  EXPECT_EQ(points[1].simulation.bandwidth_factor, 2);
  EXPECT_EQ(points[1].simulation.latency_factor, 1);
  EXPECT_EQ(points[1].simulation.compute_factor, 3);
  EXPECT_EQ(points[1].variant, "bandwidth_factor=2, compute_factor=3");
}

TEST(Scenario, ReadsItsOwnYamlBack) {
  std::vector<Scenario> points = {
      one(kShort + "name: 'true'\nalgorithm: {name: ring, bucket: 0}\nsimulation: {latency_factor: "
                   "1e-9}\ntimeout: inf"),
      one("name: \"a: b # 'c'\"\nmodel: mnist_cnn\nbatch_size: 3\nepochs: 0.1\nworkers: 4\n"
          "algorithm: {name: parameter_server, bucket: 3 B, servers: 2}")};
  for (const std::string& name : resource_names("scenarios", "yaml")) {
    for (const Scenario& point :
         load_scenario(find_resource("scenarios", name, "yaml").string()).points)
      points.push_back(point);
  }
  EXPECT_GT(points.size(), 80U);
  for (const Scenario& point : points)
    EXPECT_EQ(to_json(one(to_yaml(point))), to_json(point)) << to_yaml(point);
  EXPECT_THAT(to_yaml(points[1]),
              testing::HasSubstr("algorithm: {name: parameter_server, bucket: 3 B, servers: 2}\n"));
}

TEST(Scenario, SaysWhatRunsWhereNoColumnTellsSweptOrNot) {
  const auto variant = [](const std::string& rest, const std::vector<std::string>& overrides = {}) {
    return one(kShort + rest, overrides).variant;
  };
  EXPECT_EQ(variant("algorithm: ring\nworkers: 2\nseed: 4"), "");
  EXPECT_EQ(variant("algorithm: {name: ring, compression: {name: top_k, ratio: 0.1}, bucket: 0}"),
            "compression=top_k ratio=0.1, bucket=0");
  EXPECT_EQ(variant("algorithm: ring", {"algorithm.compression=power_sgd"}),
            "compression=power_sgd");
  EXPECT_EQ(variant("algorithm: {name: zero, stage: 2}\nprecision: bf16"), "precision=bf16");
  EXPECT_EQ(variant("algorithm: {name: local_sgd, outer: {momentum: 0.8}}"), "momentum=0.8");
  EXPECT_EQ(variant("algorithm: {name: parameter_server, mode: asynchronous, servers: 2}"),
            "servers=2");
  EXPECT_EQ(variant("algorithm: {name: ring, overlap: false}\nbackward_passes_per_step: 2\n"
                    "sweep: {seed: [3], algorithm.bucket: [1 MB]}"),
            "overlap=false, bucket=1 MB, backward_passes_per_step=2, seed=3");
}

TEST(Scenario, HasDefaults) {
  const Scenario scenario = one(kShort);
  EXPECT_EQ(scenario.name, "HasDefaults");  // the file's
  EXPECT_EQ(scenario.data.name, "synthetic");
  EXPECT_EQ(scenario.algorithm.label(), "ring");
  EXPECT_EQ(scenario.algorithm.bucket_bytes, 25'000'000U);
  EXPECT_TRUE(scenario.algorithm.overlap);
  EXPECT_EQ(scenario.warmup_iterations, 2);
  EXPECT_EQ(scenario.workers, 1);
  EXPECT_EQ(scenario.seed, 1U);
}

TEST(Scenario, ReadsEveryKey) {
  const Scenario scenario =
      one("name: full\nmodel: {name: resnet50, input: [1, 64, 64], classes: 10}\n"
          "data: {name: mnist, path: /data}\nbatch_size: 8\nepochs: 1.5\nwarmup_iterations: 0\n"
          "optimizer: {name: sgd, learning_rate: 1e-2, momentum: 0.9, weight_decay: 0.0001}\n"
          "algorithm: {name: parameter_server, bucket: 1 MiB, overlap: false}\nworkers: 4\n"
          "device: k80\nseed: 18446744073709551615\nthreads: 2\n"
          "simulation: {depth: payload, executor: fused}\n");
  EXPECT_EQ(scenario.model.input, (Shape{1, 64, 64}));
  EXPECT_EQ(scenario.model.classes, 10);
  EXPECT_EQ(scenario.data.path, "/data");
  EXPECT_EQ(scenario.epochs, 1.5);
  EXPECT_FALSE(scenario.iterations);
  EXPECT_EQ(scenario.optimizer.learning_rate, 0.01);
  EXPECT_EQ(scenario.optimizer.weight_decay, 0.0001);
  EXPECT_EQ(scenario.algorithm.bucket_bytes, 1024U * 1024);
  EXPECT_FALSE(scenario.algorithm.overlap);
  EXPECT_EQ(scenario.members(), 5);
  EXPECT_EQ(scenario.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(scenario.threads, 2);
  EXPECT_EQ(scenario.simulation.depth, Depth::kPayload);
  EXPECT_EQ(scenario.simulation.executor, ExecutorKind::kFused);
}

TEST(Scenario, ReadsTheKeysOfZero) {
  const Scenario by_name = one(kShort + "algorithm: zero\n");
  EXPECT_EQ(by_name.algorithm.label(), "zero_1");
  EXPECT_EQ(by_name.algorithm.prefetch, 1);
  const Scenario scenario = one(kShort + "algorithm: {name: zero, stage: 3, prefetch: 0}\n");
  EXPECT_EQ(scenario.algorithm.label(), "zero_3");
  EXPECT_EQ(scenario.algorithm.prefetch, 0);
}

TEST(Scenario, ReadsTheKeysOfPipelines) {
  const Scenario by_name = one(kShort + "algorithm: pipeline\nworkers: 4\n");
  EXPECT_EQ(by_name.algorithm.label(), "pipeline");
  EXPECT_EQ(by_name.stages(), 4);
  EXPECT_EQ(by_name.micro_batches(), 4);
  EXPECT_EQ(by_name.algorithm.schedule, PipelineSchedule::kOneFOneB);
  const Scenario scenario = one(
      kShort +
      "algorithm: {name: pipeline, stages: 2, micro_batches: 8, schedule: gpipe}\nworkers: 6\n");
  EXPECT_EQ(scenario.algorithm.label(), "pipeline_2");
  EXPECT_EQ(scenario.stages(), 2);
  EXPECT_EQ(scenario.micro_batches(), 8);
  EXPECT_EQ(scenario.pass_batch_size(), scenario.batch_size * 2 / 8);
  EXPECT_EQ(scenario.samples_per_iteration(), scenario.batch_size * 6);
  EXPECT_EQ(scenario.algorithm.schedule, PipelineSchedule::kGPipe);
  EXPECT_EQ(one(kShort).pass_batch_size(), scenario.batch_size);
}

TEST(Scenario, AServerPushesSmallBucketsAndIsPulledFromEarly) {
  const AlgorithmSpec given = one(kShort + "algorithm: parameter_server\n").algorithm;
  EXPECT_EQ(given.bucket_bytes, 4'000'000U);
  EXPECT_TRUE(given.pulls_early());
  EXPECT_FALSE(given.asks());
  const AlgorithmSpec late =
      one(kShort + "algorithm: {name: parameter_server, mode: asynchronous, early_pull: false}\n")
          .algorithm;
  EXPECT_FALSE(late.pulls_early());
  EXPECT_TRUE(late.asks());
}

TEST(Scenario, ReadsTheKeysOfServers) {
  const Scenario stale =
      one(kShort +
          "algorithm: {name: parameter_server, mode: stale_synchronous, servers: 3, placement: "
          "workers,\n"
          "  staleness: 4, push_every: 5, pull_every: 6, priority: false}\nworkers: 2\n"
          "timeout: 2 min\n");
  EXPECT_EQ(stale.algorithm.mode, ServerMode::kStaleSynchronous);
  EXPECT_EQ(stale.algorithm.staleness, 4);
  EXPECT_EQ(stale.algorithm.push_every, 5);
  EXPECT_EQ(stale.algorithm.pull_every, 6);
  EXPECT_FALSE(stale.algorithm.priority);
  EXPECT_EQ(stale.algorithm.label(), "stale_ps");
  EXPECT_FALSE(stale.algorithm.pulls_early());
  EXPECT_TRUE(stale.algorithm.asks());
  EXPECT_EQ(stale.members(), 5);
  EXPECT_THAT(stale.hosts(), testing::ElementsAre(0, 1, 0, 1, 0));
  EXPECT_EQ(stale.timeout, 120);

  const Scenario backup =
      one(kShort + "algorithm: {name: parameter_server, backup_workers: 1}\nworkers: 2\n");
  EXPECT_EQ(backup.algorithm.backup_workers, 1);
  EXPECT_THAT(backup.hosts(), testing::ElementsAre(0, 1, 2));

  const Scenario elastic =
      one(kShort + "algorithm: {name: elastic_averaging, local_steps: 4}\nworkers: 3\n");
  EXPECT_EQ(elastic.algorithm.local_steps, 4);
  EXPECT_DOUBLE_EQ(elastic.elasticity(), 0.3);
  EXPECT_EQ(elastic.members(), 4);
}

TEST(Sweep, MultipliesOutWithTheLastAxisFastest) {
  const ScenarioFile file =
      load_text(kShort + "sweep:\n  algorithm: [parameter_server, ring]\n  workers: [1, 2, 3]\n");
  std::vector<std::string> points;
  for (const Scenario& point : file.points)
    points.push_back(point.algorithm.label() + std::to_string(point.workers));
  EXPECT_THAT(points, testing::ElementsAre("parameter_server1", "parameter_server2",
                                           "parameter_server3", "ring1", "ring2", "ring3"));
}

TEST(Sweep, ReachesDottedKeysAndKeepsTheRest) {
  const ScenarioFile file = load_text(
      kShort +
      "algorithm: ring\nsweep: {algorithm.bucket: [1 MB, inf], algorithm.overlap: [true]}");
  ASSERT_EQ(file.points.size(), 2U);
  EXPECT_EQ(file.points[0].algorithm.label(), "ring");
  EXPECT_EQ(file.points[0].algorithm.bucket_bytes, 1'000'000U);
  EXPECT_EQ(file.points[1].algorithm.bucket_bytes, std::numeric_limits<std::size_t>::max());
}

TEST(Sweep, TakesMapsAsValues) {
  const ScenarioFile file =
      load_text(kShort + "sweep: {algorithm: [ring, {name: ring, overlap: false}]}");
  ASSERT_EQ(file.points.size(), 2U);
  EXPECT_TRUE(file.points[0].algorithm.overlap);
  EXPECT_FALSE(file.points[1].algorithm.overlap);
}

TEST(Sweep, TakesAListOfPoints) {
  const std::string content = kShort +
                              "algorithm: ring\nsweep:\n- {workers: 2, algorithm.overlap: false}\n"
                              "- {workers: 3, iterations: 9}\n";
  const ScenarioFile file = load_text(content);
  ASSERT_EQ(file.points.size(), 2U);
  EXPECT_FALSE(file.points[0].algorithm.overlap);
  EXPECT_EQ(file.points[0].iterations, 5);
  EXPECT_EQ(file.points[1].workers, 3);
  EXPECT_EQ(file.points[1].iterations, 9);
  for (const Scenario& point : load_text(content, {"workers=4"}).points) {
    EXPECT_EQ(point.workers, 4);
  }
}

TEST(Algorithm, IsLabelledWithWhatTellsItsVariantsApart) {
  const auto label = [](const std::string& algorithm) {
    return one(kShort + "algorithm: " + algorithm).algorithm.label();
  };
  EXPECT_EQ(label("all_reduce"), "ring");
  EXPECT_EQ(label("sgp"), "sgp");
  EXPECT_EQ(label("pairwise_averaging"), "pairwise_averaging_1");
  EXPECT_EQ(label("{name: pairwise_averaging, passes: all}"), "pairwise_averaging_all");
  EXPECT_EQ(label("{name: local_sgd, local_steps: 8}"), "local_sgd_8");
  EXPECT_EQ(label("{name: local_sgd, local_steps: 8, outer: {momentum: 0.8}}"),
            "local_sgd_8_outer");
}

TEST(Overrides, SetWhatTheFileSays) {
  const Scenario scenario =
      one(kShort + "algorithm: ring\n", {"workers=3", "algorithm.bucket=1 kB", "name=other"});
  EXPECT_EQ(scenario.workers, 3);
  EXPECT_EQ(scenario.algorithm.bucket_bytes, 1000U);
  EXPECT_EQ(scenario.algorithm.label(), "ring");
  EXPECT_EQ(scenario.name, "other");
}

TEST(Overrides, EndTheSweepOfTheirKey) {
  const std::string sweep = kShort + "sweep: {workers: [1, 2], seed: [1, 2, 3]}\n";
  EXPECT_EQ(load_text(sweep, {"workers=4"}).points.size(), 3U);
  EXPECT_EQ(load_text(sweep, {"workers=4", "seed=9"}).points.size(), 1U);
  EXPECT_EQ(load_text(sweep, {"sweep.workers=[1]"}).points.size(), 3U);
}

TEST(Overrides, OfOneLengthDropTheOther) {
  const Scenario scenario = one(kShort, {"epochs=2"});
  EXPECT_FALSE(scenario.iterations);
  EXPECT_EQ(scenario.epochs, 2);
}

// A point goes to a backend as JSON; what arrives must be the point that was sent.
TEST(CanonicalForm, ReadsBackToTheSamePoint) {
  const std::string full =
      "name: \"odd: #name\"\nmodel:\n  name: mine\n  input: [1, 28, 28]\n  classes: 10\n  layers:\n"
      "  - {kind: convolution, name: a, outputs: 8, kernel: [5, 3], stride: 2, groups: 1}\n"
      "  - {kind: batch_norm, epsilon: 1e-3, momentum: 0.2}\n"
      "  - {kind: relu6}\n"
      "  - {kind: average_pool, kernel: 2, count_padding: false, ceil_mode: true}\n"
      "  - {kind: max_pool, kernel: 3, stride: 1, padding: 1}\n"
      "  - {kind: dropout, probability: 0.3}\n"
      "  - {kind: linear, outputs: 10, bias: false, inputs: [dropout6]}\n"
      "data: {name: fashion_mnist, path: \"/a b/c\"}\nbatch_size: 7\nepochs: 0.1\nworkers: 3\n"
      "optimizer: {learning_rate: 0.1, momentum: 0.7, weight_decay: 1e-5}\n"
      "algorithm: {name: all_reduce, bucket: inf}\nseed: 18446744073709551615\nthreads: 3\n"
      "device: k80\nsimulation: {depth: payload, executor: exact}\n";
  for (const std::string& content :
       {full, kShort + "evaluate_every: 3\nalgorithm: {name: pairwise_averaging, passes: all}",
        kShort + "algorithm: {name: local_sgd, local_steps: 4, outer: {momentum: 0.5}}", kShort,
        kShort + "algorithm: {name: parameter_server, bucket: 3 B}",
        kShort + "algorithm: {name: zero, stage: 3, bucket: 3 B, prefetch: 4}",
        kShort + "trace: {iterations: 9, members: 3, rounds: true}",
        kShort + "trace: {iterations: all, every: 10}",
        kShort + "workers: 4\nalgorithm: {name: pipeline, stages: 2, schedule: gpipe}",
        kShort + "timeout: 1.5 h\nalgorithm: {name: parameter_server, mode: asynchronous, "
                 "push_every: 3}",
        kShort + "checkpoint: {every: 50, keep: 3, path: a b, resume: 100}",
        kShort + "timeout: inf\nalgorithm: {name: elastic_averaging, elasticity: 0.25}"}) {
    const nlohmann::json json = to_json(one(content));
    EXPECT_EQ(to_json(one(json.dump())), json);
    EXPECT_EQ(to_json(one(json.dump(2))), json);
  }
  const Scenario back = one(to_json(one(full)).dump());
  EXPECT_EQ(back.algorithm.bucket_bytes, std::numeric_limits<std::size_t>::max());
  EXPECT_EQ(back.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.model.layers[0].options.kernel_height, 5);
  EXPECT_EQ(back.model.layers[1].options.epsilon, 1e-3);
  EXPECT_FALSE(back.model.layers[3].options.count_padding);
  EXPECT_EQ(back.epochs, 0.1);
}

TEST(CanonicalForm, KeepsTheCollectiveAndItsOptions) {
  const auto back = [](const std::string& algorithm) {
    return one(to_json(one(kShort + "algorithm: " + algorithm + "\n")).dump()).algorithm;
  };
  const AlgorithmSpec two_levels = back("{name: hierarchical, node_size: 4}");
  EXPECT_EQ(two_levels.name, "all_reduce");
  EXPECT_EQ(two_levels.collective, "hierarchical");
  EXPECT_EQ(two_levels.options.node_size, 4);
  const AlgorithmSpec segments = back("{name: double_binary_tree, segment: 64 KiB}");
  EXPECT_EQ(segments.options.segment_bytes, 64U * 1024);
  const AlgorithmSpec averages =
      back("{name: pairwise_averaging, passes: all, collective: hierarchical, node_size: 2}");
  EXPECT_EQ(averages.collective, "hierarchical");
  EXPECT_EQ(averages.options.node_size, 2);
  const AlgorithmSpec automatic = back("{name: all_reduce, collective: auto}");
  EXPECT_EQ(automatic.label(), "auto");
  EXPECT_EQ(automatic.options.node_size, std::nullopt);
  EXPECT_EQ(automatic.options.segment_bytes, 256U * 1024);
  EXPECT_EQ(back("segmented_ring").label(), "segmented_ring");
}

TEST(CanonicalForm, KeepsHowItTrains) {
  const auto back = [](const std::string& lines) {
    const nlohmann::json json = to_json(one(kShort + lines));
    EXPECT_EQ(to_json(one(json.dump())), json);
    return one(json.dump());
  };
  const OptimizerSpec sgd = back("optimizer: {momentum: 0.5, nesterov: true}\n").optimizer;
  EXPECT_EQ(sgd.momentum, 0.5);
  EXPECT_TRUE(sgd.nesterov);
  const OptimizerSpec adam =
      back("optimizer: {name: adamw, weight_decay: 0.1, beta1: 0.8, beta2: 0.9, epsilon: 1e-4}\n")
          .optimizer;
  EXPECT_EQ(adam.name, "adamw");
  EXPECT_EQ(adam.weight_decay, 0.1);
  EXPECT_EQ(adam.beta1, 0.8);
  EXPECT_EQ(adam.beta2, 0.9);
  EXPECT_EQ(adam.epsilon, 1e-4);
  const Scenario steps = back(
      "learning_rate_schedule: {name: step, every: 7, factor: 0.5, warmup_steps: 3}\n"
      "backward_passes_per_step: 4\nclip_norm: 0.25\nprecision: bf16\n");
  EXPECT_EQ(steps.learning_rate_schedule.every, 7);
  EXPECT_EQ(steps.learning_rate_schedule.factor, 0.5);
  EXPECT_EQ(steps.learning_rate_schedule.warmup_steps, 3);
  EXPECT_EQ(steps.backward_passes_per_step, 4);
  EXPECT_EQ(steps.clip_norm, 0.25);
  EXPECT_EQ(steps.precision.dtype(), DType::kBFloat16);
  const Scenario cosine = back(
      "learning_rate_schedule: {name: cosine, steps: 9, minimum: 0.01, linear_scaling: true}\n"
      "precision: {name: fp16, loss_scale: {initial: 2, window: 3, hysteresis: 4, minimum: "
      "0.5}}\n");
  EXPECT_EQ(cosine.learning_rate_schedule.steps, 9);
  EXPECT_EQ(cosine.learning_rate_schedule.minimum, 0.01);
  EXPECT_TRUE(cosine.learning_rate_schedule.linear_scaling);
  EXPECT_EQ(cosine.precision.dtype(), DType::kFloat16);
  EXPECT_EQ(cosine.precision.loss_scale.initial, 2);
  EXPECT_EQ(cosine.precision.loss_scale.window, 3);
  EXPECT_EQ(cosine.precision.loss_scale.hysteresis, 4);
  EXPECT_EQ(cosine.precision.loss_scale.minimum, 0.5);
  EXPECT_FALSE(cosine.clip_norm);
  EXPECT_EQ(back("algorithm: {name: ring, compression: bf16}\n").algorithm.compression.name,
            "bf16");
  EXPECT_EQ(back("algorithm: {name: ring, compression: {name: top_k, ratio: 0.25}}\n")
                .algorithm.compression.ratio,
            0.25);
  EXPECT_EQ(back("algorithm: {name: ring, compression: {name: power_sgd, rank: 2}}\n")
                .algorithm.compression.rank,
            2);
}

TEST(ShippedScenarios, HaveNoMistakes) {
  const std::vector<std::string> names = resource_names("scenarios", "yaml");
  EXPECT_THAT(
      names, testing::IsSupersetOf({"custom_model", "demo", "fashion_mnist", "thesis_ps_vs_ring"}));
  for (const std::string& name : names)
    EXPECT_NO_THROW(load_scenario(find_resource("scenarios", name, "yaml"))) << name;
  const auto thesis = load_scenario(find_resource("scenarios", "thesis_ps_vs_ring", "yaml"));
  EXPECT_EQ(thesis.points.size(), 60U);
}

}  // namespace
}  // namespace tandem
