// Platforms that scenarios describe: their hosts and routes, the executors and the all-reduce bound
// on each.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/platform/all_reduce_bound.h"
#include "core/platform/topology_xml.h"
#include "sim/host_network.h"
#include "sim/simulate.h"
#include "tests/core/scenario/files.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTopologies[] = {
    "{topology: star, bandwidth: 10 Gbit/s, latency: 5 us}",
    "{topology: cluster, bandwidth: 10 Gbit/s, latency: 5 us, rack_size: 4, uplink_bandwidth: 5 "
    "Gbit/s}",
    "{topology: fat_tree, bandwidth: 10 Gbit/s, latency: 5 us, children: [4, 4]}",
    "{topology: torus, bandwidth: 10 Gbit/s, latency: 5 us, dimensions: [4, 4]}",
    "{topology: dragonfly, bandwidth: 10 Gbit/s, latency: 5 us, groups: 4, routers: 4}",
    "{topology: gpu_nodes, bandwidth: 100 Gbit/s, latency: 5 us, gpus: 4, node_bandwidth: 150 "
    "GB/s, node_latency: 1 us}",
    "{topology: rail_pod, bandwidth: 100 Gbit/s, latency: 5 us, gpus: 4, node_bandwidth: 150 GB/s, "
    "node_latency: 1 us}"};

/// Sixteen workers, whose iteration is one all-reduce after their backward pass.
Scenario scenario_on(const std::string& platform, const std::string& algorithm,
                     const std::vector<std::string>& more = {}) {
  static int number = 0;
  const std::string file =
      testing::TempDir() + "topology-" + std::to_string(getpid()) + "-" + std::to_string(number++);
  std::ofstream(file) << "model: mnist_cnn\nbatch_size: 8\niterations: 1\nwarmup_iterations: 0\n"
                      << "workers: 16\ndevice: k80\nplatform: " << platform
                      << "\nalgorithm: {name: " << algorithm << ", overlap: false, bucket: inf}\n";
  Scenario scenario = load_scenario(file, sets(more)).points.at(0);
  std::filesystem::remove(file);
  return scenario;
}

struct Times {
  double iteration, communication, bound;
};

/// Nothing where the executor refuses.
std::optional<Times> times_of(const Scenario& scenario) {
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        const Summary summary = simulate(scenario).summary;
        values[0] = *summary.iteration_s;
        values[1] = *summary.exposed_communication_s;
        values[2] = summary.all_reduce_bound_s.value_or(0);
      },
      3);
  if (outcome.exit_code == kExitBadInput) {
    EXPECT_THAT(outcome.message, HasSubstr("fused can't tell the collective's time"));
    return std::nullopt;
  }
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return Times{outcome.values[0], outcome.values[1], outcome.values[2]};
}

std::string name_of(const std::string& platform) {
  const auto begin = platform.find(": ") + 2;
  return platform.substr(begin, platform.find(',') - begin);
}

class OnTopology : public testing::TestWithParam<const char*> {};

TEST_P(OnTopology, NoAllReduceBeatsTheBound) {
  for (const char* algorithm : {"ring", "segmented_ring", "halving_doubling", "recursive_doubling",
                                "double_binary_tree", "hierarchical"}) {
    for (const char* order : {"platform", "declared"}) {
      std::vector<std::string> more = {"simulation.executor=exact",
                                       std::string("simulation.rank_order=") + order};
      if (algorithm == std::string("hierarchical")) more.emplace_back("algorithm.node_size=4");
      const Scenario scenario = scenario_on(GetParam(), algorithm, more);
      const auto times = times_of(scenario);
      ASSERT_TRUE(times);
      EXPECT_GT(times->bound, 0) << algorithm;
      EXPECT_GE(times->communication, times->bound) << algorithm << ", " << order;
    }
  }
}

// Links of a torus and a dragonfly carry different numbers of such messages.
bool may_refuse(const std::string& topology, const std::string& algorithm) {
  return algorithm.ends_with("_doubling") && (topology == "torus" || topology == "dragonfly");
}

TEST_P(OnTopology, FusedAgreesWithExact) {
  for (const char* algorithm : {"ring", "halving_doubling", "recursive_doubling"}) {
    const auto fused = times_of(scenario_on(GetParam(), algorithm, {"simulation.executor=fused"}));
    if (!fused) {
      EXPECT_TRUE(may_refuse(name_of(GetParam()), algorithm)) << algorithm;
      continue;
    }
    const auto exact = times_of(scenario_on(GetParam(), algorithm, {"simulation.executor=exact"}));
    ASSERT_TRUE(exact);
    EXPECT_NEAR(fused->communication / exact->communication, 1, 0.01) << algorithm;
    EXPECT_NEAR(fused->iteration / exact->iteration, 1, 0.01) << algorithm;
  }
}

const std::set<std::string>& all_reduces() {
  static const std::set<std::string> kAllReduces = {"ring",
                                                    "segmented_ring",
                                                    "halving_doubling",
                                                    "recursive_doubling",
                                                    "double_binary_tree",
                                                    "hierarchical"};
  return kAllReduces;
}

/// One of small layers, each a collective of its own, some of fewer elements than workers.
Scenario small_layers_on(const std::string& platform, const std::string& algorithm, int workers,
                         bool is_skewed) {
  Scenario scenario = scenario_on(platform, "ring", {"workers=" + std::to_string(workers)});
  scenario.simulation.fold = false;
  if (all_reduces().contains(algorithm)) {
    scenario.algorithm.collective = algorithm;
  } else {
    scenario.algorithm.name = algorithm;
  }
  scenario.model = {.name = "small", .input = Shape{16, 1, 1}, .classes = {}, .layers = {}};
  for (const int outputs : {17, 40, 2}) {
    LayerSpec layer{.name = "linear" + std::to_string(outputs),
                    .kind = LayerKind::kLinear,
                    .options = {},
                    .inputs = {}};
    layer.options.outputs = outputs;
    scenario.model.layers.push_back(layer);
  }
  scenario.algorithm.bucket_bytes = 0;
  scenario.algorithm.options.node_size = 4;
  scenario.iterations = 2;
  if (is_skewed) scenario.faults.slow = {{.target = {.rank = workers / 2}, .factor = 3}};
  return scenario;
}

// Where no link is shared, the collectives of workers that are alike or not are none of them
// refused; averaging by pairs, whose partners come at different times, and what shares links, may
// be.
bool must_fuse(const std::string& topology, const std::string& algorithm, int workers) {
  if (topology == "rail_pod") return algorithm == "ring" || algorithm == "segmented_ring";
  if (algorithm == "hierarchical" && workers % 4 != 0) return false;  // a smaller last node
  return topology == "star" && algorithm != "pairwise_averaging" && algorithm != "sgp";
}

TEST_P(OnTopology, FusedAgreesWithExactOnSmallPiecesAndStragglers) {
  for (const char* algorithm :
       {"ring", "segmented_ring", "halving_doubling", "recursive_doubling", "double_binary_tree",
        "hierarchical", "zero", "pairwise_averaging", "sgp"}) {
    for (const auto& [workers, is_skewed] :
         {std::pair{7, false}, {16, false}, {7, true}, {16, true}}) {
      Scenario scenario = small_layers_on(GetParam(), algorithm, workers, is_skewed);
      scenario.simulation.executor = ExecutorKind::kFused;
      const auto fused = times_of(scenario);
      if (!fused) {
        EXPECT_FALSE(must_fuse(name_of(GetParam()), algorithm, workers))
            << algorithm << ", " << workers;
        continue;
      }
      scenario.simulation.executor = ExecutorKind::kExact;
      const auto exact = times_of(scenario);
      ASSERT_TRUE(exact);
      EXPECT_NEAR(fused->iteration / exact->iteration, 1, 0.01)
          << algorithm << ", " << workers << (is_skewed ? ", one slow" : "");
    }
  }
}

TEST(Topology, AutoFallsBackWhereFusedTurnsOutNotToHold) {
  // Pairs share links of the torus, so that some workers average later than others.
  Scenario scenario =
      scenario_on("{topology: torus, bandwidth: 1 Gbit/s, latency: 50 us, dimensions: [66]}",
                  "ring", {"workers=66"});
  scenario.algorithm.name = "pairwise_averaging";
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    try {
      simulate(scenario);
      ADD_FAILURE();
    } catch (const ShortCutFailed& failed) {
      EXPECT_EQ(failed.which(), ShortCut::kFusing);
    }
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  const ChildOutcome again = in_child([&](std::span<double>) {
    const PointResult result = simulate(scenario, {}, {.fusing = "pairs came apart"});
    EXPECT_EQ(result.environment["executor"], "exact");
    EXPECT_THAT(result.environment["executor_reason"].get<std::string>(),
                HasSubstr("pairs came apart"));
  });
  EXPECT_EQ(again.exit_code, 0) << again.message << again.standard_error;
}

INSTANTIATE_TEST_SUITE_P(All, OnTopology, testing::ValuesIn(kTopologies),
                         [](const auto& info) { return name_of(info.param); });

/// Names of the links from one host to another.
std::vector<std::string> route_of(HostNetwork& network, int from, int to) {
  std::vector<std::string> names;
  for (const int link : network.route(from, to).links) {
    names.push_back(network.links()[link].name);
  }
  return names;
}

void on_engine(const std::string& platform, int members,
               const std::function<void(const Engine&)>& body) {
  const Scenario scenario = scenario_on(platform, "ring");
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const Engine engine({"built", topology_xml(*scenario.topology, members)}, Depth::kSizes);
    body(engine);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

/// Of 100 MB: by the links that messages of `hosts` take, and by the parts that are described.
struct Bounds {
  double by_routes, by_parts;
};

Bounds bounds_of(const std::string& platform, int hosts) {
  const Topology topology = *scenario_on(platform, "ring").topology;
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        const Engine engine({"built", topology_xml(topology, hosts)}, Depth::kSizes);
        std::vector<int> first(hosts);
        std::iota(first.begin(), first.end(), 0);
        SimHostNetwork network(engine, first);
        values[0] = AllReduceBound(network).time(100e6);
        values[1] = AllReduceBound::of_topology(topology, hosts, 1).time(100e6);
      },
      2);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return {outcome.values[0], outcome.values[1]};
}

TEST_P(OnTopology, PartsBoundAnAllReduceAsItsRoutesDo) {
  const Bounds whole = bounds_of(GetParam(), 16);
  EXPECT_NEAR(whole.by_parts / whole.by_routes, 1, 1e-9);
  const Bounds some = bounds_of(GetParam(), 11);
  EXPECT_GT(some.by_parts, 0.5 * some.by_routes);
  EXPECT_LE(some.by_parts, some.by_routes * (1 + 1e-9));
}

TEST(Topology, PartsWithSeveralWaysOutBoundAsWell) {
  for (const char* platform :
       {"{topology: fat_tree, bandwidth: 10 Gbit/s, latency: 5 us, children: [4, 4], parents: [2, "
        "2]}",
        "{topology: fat_tree, bandwidth: 10 Gbit/s, latency: 5 us, children: [4, 4], parents: [1, "
        "1]}",
        "{topology: fat_tree, bandwidth: 10 Gbit/s, latency: 5 us, children: [2, 2, 4], parents: "
        "[1, 2, 1]}",
        "{topology: torus, bandwidth: 10 Gbit/s, latency: 5 us, dimensions: [8, 2, 1]}"}) {
    const Bounds bounds = bounds_of(platform, 16);
    EXPECT_NEAR(bounds.by_parts / bounds.by_routes, 1, 1e-9) << platform;
  }
}

// Links that are wider than described, for good or at times, let it be beaten.
TEST(Topology, NoBoundWhereLinksAreOtherThanDescribed) {
  for (const auto& [workers, window, is_bound] : {std::tuple(300, FaultWindow{}, false),
                                                  {16, FaultWindow{}, true},
                                                  {16, FaultWindow{.from = 1e-6}, false}}) {
    Scenario scenario = scenario_on(
        "{topology: cluster, bandwidth: 10 Gbit/s, latency: 5 us, rack_size: 4, "
        "uplink_bandwidth: 5 Gbit/s}",
        "ring", {"workers=" + std::to_string(workers)});
    scenario.faults.links = {{.link = "rack-0_uplink", .bandwidth_factor = 4, .window = window}};
    const ChildOutcome outcome = in_child([&, expected = is_bound](std::span<double>) {
      EXPECT_EQ(simulate(scenario).summary.all_reduce_bound_s.has_value(), expected);
    });
    EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  }
}

TEST(Topology, ThousandsHaveABoundToo) {
  const Scenario scenario = scenario_on(
      "{topology: cluster, bandwidth: 10 Gbit/s, latency: 5 us, rack_size: 16, uplink_bandwidth: 5 "
      "Gbit/s}",
      "ring", {"workers=320", "simulation.bandwidth_factor=2"});
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const nlohmann::json bound = simulate(scenario).environment["all_reduce_bound"];
    EXPECT_EQ(bound["limit"], "links out of 20 racks");
    EXPECT_NEAR(bound["seconds"].get<double>(),
                2 * 19 / 20.0 * bound["bytes"].get<double>() / (2 * 5e9 / 8), 1e-12);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

TEST(Topology, AGpuReachesAnotherRailThroughItsNode) {
  on_engine(kTopologies[6], 8, [](const Engine& engine) {
    ASSERT_EQ(engine.hosts().size(), 8U);
    SimHostNetwork network(engine, {0, 1, 4, 5});  // the first two GPUs of two nodes
    EXPECT_THAT(route_of(network, 0, 1),
                ElementsAre("node-0-gpu-0_port_UP", "node-0-gpu-1_port_DOWN"));
    EXPECT_THAT(route_of(network, 0, 2),
                ElementsAre("node-0-gpu-0_nic_UP", "node-1-gpu-0_nic_DOWN"));
    EXPECT_THAT(route_of(network, 0, 3), ElementsAre("node-0-gpu-0_port_UP", "node-0-gpu-1_nic_UP",
                                                     "node-1-gpu-1_nic_DOWN"));
  });
}

TEST(Topology, GpusOfANodeShareItsNic) {
  on_engine(kTopologies[5], 6, [](const Engine& engine) {
    ASSERT_EQ(engine.hosts().size(), 8U);  // whole nodes
    SimHostNetwork network(engine, {0, 1, 4});
    EXPECT_THAT(route_of(network, 0, 1), ElementsAre("node-0_link_0_UP", "node-0_link_1_DOWN"));
    EXPECT_THAT(route_of(network, 1, 2), ElementsAre("node-0_link_1_UP", "node-0_uplink_UP",
                                                     "node-1_uplink_DOWN", "node-1_link_0_DOWN"));
    EXPECT_EQ(network.links()[0].bandwidth, 150e9);
    EXPECT_NEAR(network.route(1, 2).latency, 12e-6, 1e-12);
  });
}

TEST(Topology, TheLastRackHoldsTheRest) {
  on_engine(kTopologies[1], 6, [](const Engine& engine) {
    ASSERT_EQ(engine.hosts().size(), 6U);
    EXPECT_STREQ(engine.hosts()[5]->get_cname(), "host-5");
    SimHostNetwork network(engine, {3, 4, 5});
    EXPECT_EQ(network.route(0, 1).links.size(), 4U);
    EXPECT_EQ(network.route(1, 2).links.size(), 2U);
  });
}

TEST(Topology, FewerHostsThanMembersAreRefused) {
  const Scenario scenario =
      scenario_on("{topology: star, bandwidth: 1 GB/s, latency: 5 us, hosts: 15}", "ring");
  const ChildOutcome outcome = in_child([&](std::span<double>) { simulate(scenario); });
  EXPECT_EQ(outcome.exit_code, kExitBadInput);
  EXPECT_THAT(outcome.message, HasSubstr("hosts=15: has 15 hosts, but the scenario has 16"));
}

TEST(RankOrder, OfThePlatformCrossesATrunkOnceEachWay) {
  const std::string racks = test_platform("interleaved_racks");  // 8 hosts, a trunk of a fifth
  const auto run = [&](const char* order) {
    Scenario scenario =
        scenario_on(racks, "ring", {std::string("simulation.rank_order=") + order, "workers=8"});
    const auto times = times_of(scenario);
    EXPECT_TRUE(times);
    return times.value_or(Times{});
  };
  const Times platform = run("platform");
  const Times declared = run("declared");
  EXPECT_EQ(platform.bound, declared.bound);
  // Four times the bytes, and nearly as many times as long: latency is of a round in both.
  EXPECT_GT(declared.communication, 3 * platform.communication);
  EXPECT_LT(declared.communication, 4 * platform.communication);
}

TEST(RankOrder, IsToldWhereItIsNotTheDeclaredOne) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const PointResult result =
        simulate(scenario_on(test_platform("interleaved_racks"), "hierarchical", {"workers=8"}));
    EXPECT_EQ(result.environment["hosts"].dump(), R"(["a0","a1","a2","a3","b0","b1","b2","b3"])");
    EXPECT_EQ(result.environment["node_size"], 4);
    EXPECT_THAT(result.environment["all_reduce_bound"]["limit"].get<std::string>(),
                HasSubstr("trunk"));
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

TEST(NodeSize, IsThatOfTheWorkersWhereTheyAreOneNodeOfThePlatform) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    const PointResult result =
        simulate(scenario_on(test_platform("trunk"), "hierarchical", {"workers=2"}));
    EXPECT_EQ(result.environment["node_size"], 2);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
}

TEST(NodeSize, IsNoneOfTwoHostsOfAStar) {
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    simulate(scenario_on(test_platform("star"), "hierarchical", {"workers=2"}));
  });
  EXPECT_THAT(outcome.message, HasSubstr("has no nodes of one size"));
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

class PlatformFile : public testing::TestWithParam<std::string> {};

TEST_P(PlatformFile, RunsAndKeepsToItsBound) {
  int workers = 0;
  const ChildOutcome looked = in_child(
      [&](std::span<double> values) {
        const Engine engine(GetParam(), Depth::kSizes);
        values[0] = static_cast<double>(std::ranges::count_if(
            engine.hosts(),
            [](const simgrid::s4u::Host* host) { return host->get_property("role") == nullptr; }));
      },
      1);
  ASSERT_EQ(looked.exit_code, 0) << looked.message << looked.standard_error;
  workers = std::min(16, static_cast<int>(looked.values[0]));
  const auto times =
      times_of(scenario_on(GetParam(), "ring", {"workers=" + std::to_string(workers)}));
  ASSERT_TRUE(times);
  if (workers > 1) {
    EXPECT_GT(times->bound, 0);
  }
  EXPECT_GE(times->communication, times->bound);
}

std::string stem_of(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem();
}

INSTANTIATE_TEST_SUITE_P(OfTheRepository, PlatformFile,
                         testing::ValuesIn(files_in(TANDEM_PLATFORMS)), stem_of);
// What SimGrid's examples are made of: zones of all kinds, cabinets, backbones, every topology.
INSTANTIATE_TEST_SUITE_P(OfEveryKind, PlatformFile,
                         testing::ValuesIn(files_in(TANDEM_TEST_PLATFORMS "/kinds")), stem_of);

}  // namespace
}  // namespace tandem
