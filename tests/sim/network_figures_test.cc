// What `collective: auto` goes by: the platform's figures are what measuring gives, and the costs
// that follow from them are what simulating gives.

#include "sim/network_figures.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/collectives/measure.h"
#include "tests/sim/forked_engine.h"

namespace tandem {
namespace {

constexpr double kAddingBandwidth = 5e9;

Seconds adding_time(int, std::size_t bytes) {
  return static_cast<double>(bytes) / kAddingBandwidth;
}

/// Latency and bandwidth of each pattern, then the adding bandwidth.
std::vector<double> flat(const NetworkFigures& figures) {
  std::vector<double> values;
  for (const LinkFigures& link : figures.shifts) {
    values.insert(values.end(), {link.latency, link.bandwidth});
  }
  values.insert(values.end(),
                {figures.inside.latency, figures.inside.bandwidth, figures.across.latency,
                 figures.across.bandwidth, figures.adding_bandwidth});
  return values;
}

std::vector<double> of_platform(const std::string& platform, int ranks,
                                const AllReduceOptions& options) {
  return in_child(
             [&](std::span<double> values) {
               const Engine engine(test_platform(platform), Depth::kSizes);
               Fabric fabric(engine, engine.place(ranks));
               std::ranges::copy(flat(platform_figures(fabric, options, adding_time)),
                                 values.begin());
             },
             32)
      .values;
}

std::vector<double> measured(const std::string& platform, int ranks,
                             const AllReduceOptions& options) {
  return in_child(
             [&](std::span<double> values) {
               Engine engine(test_platform(platform), Depth::kPayload);
               JobOptions job_options;
               job_options.depth = Depth::kPayload;
               job_options.devices.assign(ranks, unit_device());
               Job job(engine, job_options);
               job.run([&](Worker& worker) {
                 const auto own = flat(measure_network(worker, options, kAddingBandwidth));
                 if (worker.group().rank == 0) std::ranges::copy(own, values.begin());
               });
             },
             32)
      .values;
}

class Figures : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Figures, OfThePlatformAreWhatMeasuringGives) {
  const auto& [platform, ranks] = GetParam();
  const AllReduceOptions options = {.node_size = 4};
  const auto expected = of_platform(platform, ranks, options);
  const auto values = measured(platform, ranks, options);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isinf(expected[i])) {
      EXPECT_EQ(values[i], expected[i]) << i;  // a pattern without messages
    } else {
      EXPECT_NEAR(values[i], expected[i], 0.02 * expected[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, Figures,
                         testing::Values(std::tuple("star", 2), std::tuple("star", 16),
                                         std::tuple("half_duplex", 16), std::tuple("fat_tree", 16),
                                         std::tuple("backbone", 64)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

class PredictedCost : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(PredictedCost, IsWhatSimulatingGives) {
  const auto& [name, ranks] = GetParam();
  constexpr std::size_t kElements = 720'720 * 4;  // divides by all rank counts here
  const AllReduceOptions options = {.node_size = 4};
  JobOptions job_options;
  job_options.executor = ExecutorKind::kExact;
  MemberDevice device = unit_device();
  device.adding_time = [](std::size_t bytes) { return adding_time(0, bytes); };
  job_options.devices.assign(ranks, device);
  const auto ends =
      run_job("star", ranks, job_options, [&](Worker& worker, std::span<double> values) {
        const int rank = worker.group().rank;
        const Buffer buffer = worker.allocate(kElements, DType::kFloat32);
        Handle sum = worker.start(all_reduce(name, options)(ranks, rank, kElements), buffer.view());
        worker.wait(sum);
        values[rank] = worker.now();
      });
  const LinkFigures link = {50e-6, 1e9};
  const NetworkFigures figures =
      network_figures(std::vector<LinkFigures>(figure_patterns(ranks, options).size(), link),
                      options, kAddingBandwidth);
  const double simulated = *std::ranges::max_element(ends);
  const double predicted = all_reduce_cost(name, ranks, kElements * 4, options, figures);
  EXPECT_NEAR(predicted / simulated, 1, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Names, PredictedCost,
                         testing::Combine(testing::ValuesIn(all_reduce_names()),
                                          testing::Values(2, 6, 8, 16, 24, 64)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace tandem
