// What calibration makes of its measurements. Measures nothing itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/median.h"
#include "core/model/zoo.h"
#include "real/calibrate/message_times.h"
#include "real/calibrate/platform_file.h"
#include "real/calibrate/profile.h"
#include "real/calibrate/timing_worker.h"

namespace tandem::mpi {
namespace {

using testing::HasSubstr;

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(NominalLink, IsTheSmallestMessagesLatencyAndTheLargestsBandwidth) {
  const NominalLink link =
      nominal_link(MessageCosts({{1000, 20e-6, 1e-9, 0}, {1'000'000, 50e-6, 2e-9, 0}}));
  EXPECT_NEAR(link.latency, 20e-6, 1e-8);
  EXPECT_NEAR(link.bandwidth, 0.5e9, 1);
  EXPECT_THROW(nominal_link(MessageCosts({{1000, 20e-6, 0, 0}})), RunError);
  EXPECT_THROW(nominal_link(MessageCosts()), RunError);
}

TEST(PlatformXml, IsAStarOfHostsThatNameTheirDevice) {
  const std::string xml = platform_xml({.host = "box",
                                        .hosts = 3,
                                        .host_flops = 5e10,
                                        .device = "box",
                                        .source = "Measured on a--box.",
                                        .link = {20e-6, 1e9},
                                        .calibration = "costs.yaml"});
  EXPECT_THAT(xml,
              HasSubstr("<host id=\"box-2\" speed=\"5e+10f\"><prop id=\"device\" value=\"box\"/>"));
  EXPECT_THAT(xml, HasSubstr("<link id=\"box-0_link\" bandwidth=\"1e+09Bps\" latency=\"1e-05s\""));
  EXPECT_THAT(xml, HasSubstr("up=\"box-1_link_UP\" down=\"box-1_link_DOWN\""));
  EXPECT_THAT(xml, Not(HasSubstr("box-3")));
  EXPECT_THAT(xml, Not(HasSubstr("a--box")));
  EXPECT_THAT(xml, HasSubstr("<prop id=\"calibration\" value=\"costs.yaml\"/>"));
}

/// A millisecond for every kernel that a training iteration has, two for the update and two between
/// them.
TrainingTimes even_times(const LayerGraph& graph, int batch_size) {
  TrainingTimes times{.kernels = {}, .between_kernels = 2e-3, .spread = {}};
  times.kernels.push_back({{.phase = Phase::kInput, .name = "input", .body = {}}, 1e-3});
  for (int layer = 1; layer < static_cast<int>(graph.layers().size()); ++layer) {
    for (const Phase phase : {Phase::kForward, Phase::kBackward}) {
      times.kernels.push_back({layer_kernel(graph, layer, phase, batch_size), 1e-3});
    }
  }
  const Kernel update{
      .phase = Phase::kUpdate, .name = "update", .flops = 1e6, .bytes = 1e6, .body = {}};
  times.kernels.push_back({update, 2e-3});
  return times;
}

TEST(MakeProfile, PredictsTheIterationThatWasMeasured) {
  const LayerGraph graph = build_model("mnist_cnn");
  const TrainingTimes times = even_times(graph, 16);
  const DeviceProfile profile =
      make_profile("box", "a test", graph, 16, times, {.reduction = 1e9, .memory = 1e10});
  const KernelTimes predict(profile, graph, 16);
  Seconds predicted = 0;
  for (const KernelTime& time : times.kernels) predicted += predict(time.kernel);
  EXPECT_NEAR(predicted, 1e-3 * static_cast<double>(times.kernels.size()) + 1e-3 + 2e-3, 1e-9);
  EXPECT_NEAR(predict(times.kernels[0].kernel), 3e-3, 1e-12);  // with what lies between kernels
  EXPECT_NEAR(predict(times.kernels[1].kernel), 1e-3, 1e-12);
  EXPECT_NEAR(predict.reduction(1'000'000), 1e-3, 1e-12);
  EXPECT_EQ(profile.name, "box");
}

TEST(MakeProfile, PredictsUpdatesOfTwoKernels) {
  const LayerGraph graph = build_model("mnist_cnn");
  TrainingTimes times = even_times(graph, 16);
  Kernel measure = times.kernels.back().kernel;
  measure.name = "measure";
  times.kernels.push_back({measure, 1.4e-3});
  const KernelTimes predict(make_profile("box", "a test", graph, 16, times, {.reduction = 1e9}),
                            graph, 16);
  EXPECT_NEAR(2 * predict(measure), 2e-3 + 1.4e-3, 1e-9);
}

TEST(MakeProfile, TakesTheBandwidthOfUpdatesForThatOfADevicesOwnMemory) {
  const LayerGraph graph = build_model("mnist_cnn");
  const DeviceProfile profile =
      make_profile("box", "a test", graph, 16, even_times(graph, 16), {.reduction = 1e9});
  EXPECT_NEAR(profile.memory_bandwidth, 1e9, 1);  // 1 MB in the 2 ms less a kernel's overhead
  EXPECT_EQ(profile.memory_bandwidth, profile.update_bandwidth);
}

TEST(ShareOut, LeavesOutWhatWaitingForEachKernelTakes) {
  const auto of = [](Phase phase, Seconds seconds) {
    return KernelTime{{.phase = phase, .name = "kernel", .body = {}}, seconds};
  };
  TrainingTimes times{.kernels = {of(Phase::kInput, 0.5e-3), of(Phase::kForward, 1e-3),
                                  of(Phase::kForward, 2e-3), of(Phase::kBackward, 4e-3)},
                      .between_kernels = 0.85e-3,
                      .spread = {}};
  share_out(times, 2.5e-3);  // of 0.85 + 0.05 + 0.1 + 1 + 3 = 5 ms
  const double expected[] = {0.025e-3, 0.05e-3, 0.5e-3, 1.5e-3};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(times.kernels[i].seconds, expected[i], 1e-12) << i;
  EXPECT_NEAR(times.between_kernels, 0.425e-3, 1e-12);
}

TEST(MakeProfile, EfficienciesAreSharesOfTheFastestKernel) {
  const LayerGraph graph = build_model("mnist_cnn");
  const DeviceProfile profile = make_profile("box", "a test", graph, 16, even_times(graph, 16),
                                             {.reduction = 1e9, .memory = 1e10});
  EXPECT_GT(profile.peak_flops, 0);
  ASSERT_TRUE(profile.efficiency.contains(LayerKind::kConvolution));
  for (const auto& [kind, efficiency] : profile.efficiency) {
    EXPECT_GT(efficiency, 0);
    EXPECT_LE(efficiency, 1);
  }
}

TEST(TimingWorker, TimesKernelsByPhaseLayerAndName) {
  TimingWorker worker;
  int runs = 0;
  for (const int layer : {1, 2, 1}) {
    Handle done = worker.compute({.phase = Phase::kForward,
                                  .layer = layer,
                                  .name = "layer",
                                  .flops = 10.0 * layer,
                                  .body = [&] { ++runs; }});
    worker.wait(done);
  }
  EXPECT_EQ(runs, 3);
  for (const char* name : {"measure", "update", "measure"}) {
    Handle done = worker.compute({.phase = Phase::kUpdate, .name = name, .body = {}});
    worker.wait(done);
  }
  ASSERT_EQ(worker.kernels().size(), 4U);
  EXPECT_EQ(worker.kernels()[2].seconds.size(), 2U);
  EXPECT_EQ(worker.kernels()[0].seconds.size(), 2U);
  EXPECT_EQ(worker.kernels()[1].kernel.flops, 20);
  EXPECT_FALSE(worker.kernels()[0].kernel.body);
  EXPECT_THROW(worker.send(1, 0, View{}), std::logic_error);
}

}  // namespace
}  // namespace tandem::mpi
