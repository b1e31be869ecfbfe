// All workers simulated as one, and iterations left out, against the whole: the same figures.

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "sim/simulate.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

using testing::HasSubstr;

std::string cluster_file(const std::string& name, const std::string& more) {
  const std::string file =
      testing::TempDir() + "folding_" + name + "-" + std::to_string(getpid()) + ".xml";
  std::ofstream(file) << "<?xml version='1.0'?>\n"
                         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" "
                         "radical=\"0-599\" speed=\"1Gf\" bw=\"1GBps\" lat=\"25us\" "
                      << more << "/></platform>\n";
  return file;
}

const std::map<std::string, std::string>& networks() {
  static const std::map<std::string, std::string> kNetworks = {
      {"star", "sharing_policy=\"SPLITDUPLEX\""},
      {"half_duplex", "sharing_policy=\"SHARED\""},
      {"backbone",
       "sharing_policy=\"SPLITDUPLEX\" bb_bw=\"16GBps\" bb_lat=\"10us\" "
       "bb_sharing_policy=\"SHARED\""},
      {"fat_backbone",
       "sharing_policy=\"FATPIPE\" bb_bw=\"2GBps\" bb_lat=\"10us\" "
       "bb_sharing_policy=\"FATPIPE\""}};
  return kNetworks;
}

/// A model without biases, whose tensors can be cut evenly into many parts.
ModelSpec even_model() {
  ModelSpec model{.name = "even", .input = Shape{512, 1, 1}, .classes = {}, .layers = {}};
  for (int i = 0; i < 4; ++i) {
    LayerSpec layer{.name = "linear" + std::to_string(i),
                    .kind = LayerKind::kLinear,
                    .options = {},
                    .inputs = {}};
    layer.options.outputs = 512;
    layer.options.bias = false;
    model.layers.push_back(layer);
  }
  return model;
}

struct FoldingCase {
  std::string name;
  int workers;
  std::function<void(Scenario&)> set;
  bool is_even = false;  ///< takes even_model()
};

void set_collective(Scenario& scenario, const std::string& collective) {
  scenario.algorithm.name = "all_reduce";
  scenario.algorithm.collective = collective;
}

void set_server(Scenario& scenario, int servers) {
  scenario.algorithm.name = "parameter_server";
  scenario.algorithm.server_count = servers;
  scenario.algorithm.bucket_bytes = 100'000;
}

const std::vector<FoldingCase>& cases() {
  static const std::vector<FoldingCase> kCases = {
      {"ring", 400, [](Scenario& s) { set_collective(s, "ring"); }},
      {"ring_without_overlap", 400,
       [](Scenario& s) {
         set_collective(s, "ring");
         s.algorithm.overlap = false;
         s.algorithm.bucket_bytes = 50'000;
       }},
      {"segmented_ring", 400, [](Scenario& s) { set_collective(s, "segmented_ring"); }},
      {"halving_doubling", 128, [](Scenario& s) { set_collective(s, "halving_doubling"); }, true},
      {"recursive_doubling", 128, [](Scenario& s) { set_collective(s, "recursive_doubling"); },
       true},
      {"hierarchical", 128,
       [](Scenario& s) {
         set_collective(s, "hierarchical");
         s.algorithm.options.node_size = 8;
       },
       true},
      {"fp16", 128,
       [](Scenario& s) {
         set_collective(s, "ring");
         s.algorithm.compression.name = "fp16";
       },
       true},
      {"zero_1", 128,
       [](Scenario& s) {
         s.algorithm.name = "zero";
         s.algorithm.stage = 1;
       },
       true},
      {"zero_2", 560,
       [](Scenario& s) {
         s.algorithm.name = "zero";
         s.algorithm.stage = 2;
       }},
      {"zero_3", 128,
       [](Scenario& s) {
         s.algorithm.name = "zero";
         s.algorithm.stage = 3;
         s.optimizer.name = "adam";
       },
       true},
      {"local_sgd", 128,
       [](Scenario& s) {
         s.algorithm.name = "local_sgd";
         s.algorithm.local_steps = 2;
       },
       true},
      {"pairwise_all", 128,
       [](Scenario& s) {
         s.algorithm.name = "pairwise_averaging";
         s.algorithm.passes.reset();
       },
       true},
      {"server", 100, [](Scenario& s) { set_server(s, 1); }},
      {"servers", 100, [](Scenario& s) { set_server(s, 3); }},
      {"server_late_pull", 80,
       [](Scenario& s) {
         set_server(s, 1);
         s.algorithm.early_pull = false;
       }},
      {"server_without_priority", 80,
       [](Scenario& s) {
         set_server(s, 2);
         s.algorithm.priority = false;
         s.algorithm.overlap = false;
       }},
  };
  return kCases;
}

Scenario scenario_of(const FoldingCase& test, const std::string& network) {
  Scenario scenario;
  scenario.name = "test";
  scenario.model.name = "mnist_cnn";
  if (test.is_even) scenario.model = even_model();
  scenario.batch_size = 32;
  scenario.iterations = 3;
  scenario.warmup_iterations = 1;
  scenario.workers = test.workers;
  scenario.platform = cluster_file(network, networks().at(network));
  scenario.device = TANDEM_TEST_PLATFORMS "/devices/test.yaml";
  test.set(scenario);
  return scenario;
}

/// Every figure of a point. Negative where there is none.
std::vector<double> figures_of(const Scenario& scenario, bool& is_short_cut, std::string& reason) {
  constexpr std::size_t kFigures = 15;
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        const PointResult result = simulate(scenario);
        const Summary& s = result.summary;
        std::size_t i = 0;
        for (const std::optional<double>& figure :
             {s.iteration_s, s.compute_s, s.exposed_communication_s, s.images_per_s,
              s.sent_bytes_per_worker, s.received_bytes_per_worker, s.server_sent_bytes,
              s.server_received_bytes, s.packets_sent, s.packets_received, s.peak_memory_bytes,
              s.all_reduce_bound_s}) {
          values[i++] = figure.value_or(-1);
        }
        values[i++] = result.environment["messages"];
        values[i++] = result.environment["simulated_seconds"];
        values[i++] = !result.environment["folded"].is_null() ||
                      !result.environment["extrapolated_after_iterations"].is_null();
        throw std::runtime_error(result.environment.value("unfolded_reason", "") + "; " +
                                 result.environment.value("not_extrapolated_reason", ""));
      },
      kFigures);
  EXPECT_EQ(outcome.exit_code, kExitRunFailed) << outcome.message;
  std::vector<double> figures = outcome.values;
  reason = outcome.message;
  is_short_cut = figures.back() == 1;
  figures.pop_back();
  return figures;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], tolerance * std::abs(b[i])) << "figure " << i;
  }
}

/// Of every member: its iterations' times, in all and waiting.
std::vector<double> iterations_of(const Scenario& scenario) {
  constexpr std::size_t kMost = 2000;
  const ChildOutcome outcome = in_child(
      [&](std::span<double> values) {
        std::size_t i = 0;
        for (const MemberResult& member : simulate(scenario).members) {
          for (const IterationRecord& iteration : member.iterations) {
            values[i++] = iteration.end - iteration.begin;
            values[i++] = iteration.exposed;
          }
        }
      },
      kMost);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.message << outcome.standard_error;
  return outcome.values;
}

struct ServerCase {
  const char* name;
  const char* model;
  int workers, servers;
  std::size_t bucket;
  bool overlap;
};

class FoldedServers : public testing::TestWithParam<ServerCase> {};

TEST_P(FoldedServers, GiveEveryIterationOfEveryMember) {
  const ServerCase& test = GetParam();
  Scenario scenario = scenario_of({"any", test.workers, [](Scenario&) {}}, "star");
  set_server(scenario, test.servers);
  scenario.model.name = test.model;
  scenario.algorithm.bucket_bytes = test.bucket;
  scenario.algorithm.overlap = test.overlap;
  scenario.simulation.executor = ExecutorKind::kFused;
  const auto folded = iterations_of(scenario);
  scenario.simulation.fold = false;
  const auto whole = iterations_of(scenario);
  const std::size_t of_member =
      2 * static_cast<std::size_t>(*scenario.iterations + scenario.warmup_iterations);
  for (int rank = 0; rank < test.workers + test.servers; ++rank) {
    const int place = std::max(0, rank - test.workers + 1);
    for (std::size_t i = 0; i < of_member; ++i) {
      const double expected = whole[rank * of_member + i];
      EXPECT_NEAR(folded[place * of_member + i], expected, 1e-9 * expected + 1e-15)
          << "rank " << rank << ", figure " << i;
    }
  }
}

// Several messages arrive at once; and several begin at once from a host, to different ones.
INSTANTIATE_TEST_SUITE_P(Cases, FoldedServers,
                         testing::Values(ServerCase{"at_once", "resnet50", 8, 1, 25'000'000, true},
                                         ServerCase{"layers", "mnist_cnn", 72, 3, 0, true},
                                         ServerCase{"layers_late", "mnist_cnn", 72, 3, 0, false}),
                         [](const auto& info) { return info.param.name; });

class Folding : public testing::TestWithParam<std::tuple<std::size_t, std::string>> {};

TEST_P(Folding, GivesTheFiguresOfAllWorkers) {
  const auto& [index, network] = GetParam();
  Scenario scenario = scenario_of(cases()[index], network);
  bool is_folded = false;
  std::string reason;
  const auto folded = figures_of(scenario, is_folded, reason);
  EXPECT_TRUE(is_folded) << reason;
  scenario.simulation.fold = false;
  const auto unfolded = figures_of(scenario, is_folded, reason);
  EXPECT_FALSE(is_folded);
  EXPECT_THAT(reason, HasSubstr("simulation.fold is false"));
  expect_same(folded, unfolded, 1e-9);
}

/// All on a star, some where links are shared or don't split their bandwidth.
std::vector<std::tuple<std::size_t, std::string>> cells() {
  std::vector<std::tuple<std::size_t, std::string>> cells;
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const std::string& name = cases()[i].name;
    for (const auto& network : networks()) {
      const bool everywhere = name == "halving_doubling" || name == "zero_3" || name == "servers";
      if (everywhere || network.first == "star") cells.emplace_back(i, network.first);
    }
  }
  return cells;
}

INSTANTIATE_TEST_SUITE_P(Cases, Folding, testing::ValuesIn(cells()), [](const auto& info) {
  return cases()[std::get<0>(info.param)].name + "_" + std::get<1>(info.param);
});

/// Why a scenario of 100 workers is not folded.
std::string refusal(const std::function<void(Scenario&)>& set) {
  Scenario scenario =
      scenario_of({"ring", 100, [](Scenario& s) { set_collective(s, "ring"); }, true}, "star");
  set(scenario);
  bool is_folded = true;
  std::string reason;
  figures_of(scenario, is_folded, reason);
  EXPECT_FALSE(is_folded);
  return reason;
}

TEST(FoldingRefusal, SaysWhy) {
  EXPECT_THAT(refusal([](Scenario& s) { s.simulation.executor = ExecutorKind::kExact; }),
              HasSubstr("the executor is exact"));
  EXPECT_THAT(refusal([](Scenario& s) { s.workers = 16; }), HasSubstr("at most 64 members"));
  EXPECT_THAT(refusal([](Scenario& s) { set_collective(s, "double_binary_tree"); }),
              HasSubstr("not all workers do the same"));
  EXPECT_THAT(refusal([](Scenario& s) { s.algorithm.collective = "auto"; }),
              HasSubstr("collective auto"));
  EXPECT_THAT(refusal([](Scenario& s) { s.algorithm.name = "sgp"; }),
              HasSubstr("messages to single others"));
  EXPECT_THAT(refusal([](Scenario& s) {
                set_server(s, 1);
                s.algorithm.mode = ServerMode::kAsynchronous;
                s.workers = 66;
              }),
              HasSubstr("messages to single others"));
  EXPECT_THAT(refusal([](Scenario& s) {
                s.platform = test_platform("mixed_star");
                s.workers = 30;
                s.simulation.executor = ExecutorKind::kFused;
              }),
              HasSubstr("no single cluster of like hosts"));
}

TEST(FoldingRefusal, NamesAClusterThatIsTooSmall) {
  EXPECT_THAT(refusal([](Scenario& s) {
                const std::string file = testing::TempDir() + "two-" + std::to_string(getpid());
                std::ofstream(file)
                    << "<?xml version='1.0'?>\n"
                       "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                       "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" "
                       "radical=\"0-1\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>\n";
                s.platform = file;
                s.workers = 2;
                s.simulation.executor = ExecutorKind::kFused;
              }),
              HasSubstr("the platform has fewer than 3 hosts"));
}

TEST(FoldingRefusal, ComesLateWherePiecesDifferByAnElement) {
  const Scenario scenario =
      scenario_of({"ring", 100, [](Scenario& s) { set_collective(s, "ring"); }}, "star");
  const ChildOutcome outcome = in_child([&](std::span<double>) {
    try {
      simulate(scenario);
    } catch (const ShortCutFailed& failed) {
      EXPECT_EQ(failed.which(), ShortCut::kFolding);
      throw;
    }
  });
  EXPECT_THAT(outcome.message, HasSubstr("pieces differ by an element"));
}

class Extrapolation : public testing::TestWithParam<std::string> {};

TEST_P(Extrapolation, GivesTheFiguresOfAllIterations) {
  Scenario scenario =
      scenario_of({"any", 5, [](Scenario& s) { set_collective(s, "ring"); }}, "star");
  scenario.iterations = 61;
  if (GetParam() == "server") set_server(scenario, 2);
  if (GetParam() == "zero") scenario.algorithm.name = "zero";
  if (GetParam() == "local_sgd") {
    scenario.algorithm.name = "local_sgd";
    scenario.algorithm.local_steps = 4;
  }
  if (GetParam() == "pipeline") {
    scenario.algorithm.name = "pipeline";
    scenario.workers = 4;
    scenario.algorithm.stages = 2;
  }
  bool is_extrapolated = false;
  std::string reason;
  const auto extrapolated = figures_of(scenario, is_extrapolated, reason);
  EXPECT_TRUE(is_extrapolated) << reason;
  const auto each = iterations_of(scenario);
  scenario.simulation.extrapolate = false;
  const auto whole = figures_of(scenario, is_extrapolated, reason);
  EXPECT_FALSE(is_extrapolated);
  EXPECT_THAT(reason, HasSubstr("simulation.extrapolate is false"));
  expect_same(extrapolated, whole, 1e-6);
  expect_same(each, iterations_of(scenario), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Extrapolation,
                         testing::Values("ring", "server", "zero", "local_sgd", "pipeline"),
                         [](const auto& info) { return info.param; });

TEST(ExtrapolationRefusal, SaysWhy) {
  Scenario scenario =
      scenario_of({"any", 4, [](Scenario& s) { s.algorithm.name = "ad_psgd"; }}, "star");
  scenario.iterations = 40;
  bool is_extrapolated = true;
  std::string reason;
  figures_of(scenario, is_extrapolated, reason);
  EXPECT_FALSE(is_extrapolated);
  EXPECT_THAT(reason, HasSubstr("does not repeat itself"));
  scenario.algorithm.name = "pairwise_averaging";
  figures_of(scenario, is_extrapolated, reason);
  EXPECT_FALSE(is_extrapolated);
  scenario.algorithm.name = "all_reduce";
  scenario.iterations = 6;
  figures_of(scenario, is_extrapolated, reason);
  EXPECT_FALSE(is_extrapolated);
  EXPECT_THAT(reason, HasSubstr("the iterations are few"));
}

}  // namespace
}  // namespace tandem
