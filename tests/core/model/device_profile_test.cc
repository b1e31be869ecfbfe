#include "core/model/device_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <ostream>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/model/analytic_times.h"
#include "core/model/zoo.h"
#include "tests/core/data/files.h"

namespace tandem {
namespace {

class ProfileFile : public testing::Test {
 protected:
  std::string message_of(const std::string& content) {
    const auto file = folder_.write("device.yaml", content);
    try {
      DeviceProfile::load(file);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_THAT(message, testing::StartsWith(file.string() + ":"));
      return message.substr(std::min(message.size(), file.string().size() + 1));
    }
    return "no error";
  }

  TemporaryFolder folder_;
  const std::string least_ =
      "name: d\npeak_flops_per_s: 1e12\nmemory_bandwidth_bytes_per_s: 1e11\n";
};

TEST_F(ProfileFile, SpreadsAreQuantiles) {
  EXPECT_EQ(message_of(least_ + "iteration_spread: [0.9, 1, 0.8]\n"),
            "4:28: 'iteration_spread' must ascend: it lists quantiles, the least first");
  EXPECT_EQ(message_of(least_ + "iteration_spread: [0, 1]\n"),
            "4:20: 'iteration_spread' lists factors above 0");
  EXPECT_EQ(message_of(least_ + "iteration_spread: [1]\n"),
            "4:19: 'iteration_spread' needs two factors or more");
}

TEST_F(ProfileFile, IsReadBackAsItWasSaved) {
  DeviceProfile profile;
  profile.name = "odd: name";
  profile.source = "measured # here";
  profile.memory_bytes = 11.5e9;
  profile.peak_flops = 1.1e12;
  profile.memory_bandwidth = 0.1;
  profile.reduction_bandwidth = 3e9;
  profile.update_bandwidth = 2e9;
  profile.kernel_overhead = 1e-5 / 3;
  profile.iteration_overhead = 2e-4;
  profile.board_speed = 0.75;
  profile.iteration_spread = Spread({0.75, 1, 1.5});
  profile.efficiency = {{LayerKind::kConvolution, 0.3}, {LayerKind::kLinear, 0.75}};
  profile.layer_times = {{"m, n", 32, "conv: 1", 0.1, 0.2, 0.05}, {"null", 1, "-", 0, 0}};
  profile.throughputs = {{"vgg16", 8, 1.0 / 3}};
  profile.like = {{"vgg19", "vgg16"}};
  const auto file = folder_.path() / "device.yaml";
  profile.save(file);
  const DeviceProfile loaded = DeviceProfile::load(file);
  EXPECT_EQ(loaded.name, profile.name);
  EXPECT_EQ(loaded.source, profile.source);
  EXPECT_EQ(loaded.memory_bytes, profile.memory_bytes);
  EXPECT_EQ(loaded.peak_flops, profile.peak_flops);
  EXPECT_EQ(loaded.memory_bandwidth, profile.memory_bandwidth);
  EXPECT_EQ(loaded.reduction_bandwidth, profile.reduction_bandwidth);
  EXPECT_EQ(loaded.iteration_spread.quantiles(), profile.iteration_spread.quantiles());
  EXPECT_EQ(loaded.board_speed, profile.board_speed);
  EXPECT_EQ(loaded.update_bandwidth, profile.update_bandwidth);
  EXPECT_EQ(loaded.kernel_overhead, profile.kernel_overhead);
  EXPECT_EQ(loaded.iteration_overhead, profile.iteration_overhead);
  EXPECT_EQ(loaded.efficiency, profile.efficiency);
  EXPECT_EQ(loaded.like, profile.like);
  ASSERT_EQ(loaded.layer_times.size(), 2u);
  EXPECT_EQ(loaded.layer_times[1].model, "null");
  EXPECT_EQ(loaded.layer_times[1].layer, "-");
  EXPECT_EQ(loaded.layer_times[0].model, "m, n");
  EXPECT_EQ(loaded.layer_times[0].layer, "conv: 1");
  EXPECT_EQ(loaded.layer_times[0].batch_size, 32);
  EXPECT_EQ(loaded.layer_times[0].forward, 0.1);
  EXPECT_EQ(loaded.layer_times[0].forward_spread, 0.05);
  EXPECT_EQ(loaded.layer_times[0].backward_spread, 0);
  EXPECT_EQ(loaded.layer_times[0].backward, 0.2);
  ASSERT_EQ(loaded.throughputs.size(), 1u);
  EXPECT_EQ(loaded.throughputs[0].images_per_s, 1.0 / 3);
}

TEST_F(ProfileFile, NeedsLittle) {
  const DeviceProfile profile = DeviceProfile::load(folder_.write("d.yaml", least_));
  EXPECT_EQ(profile.peak_flops, 1e12);
  EXPECT_EQ(profile.memory_bytes, 0);
  EXPECT_EQ(profile.reduction_bandwidth, kForever);
  EXPECT_TRUE(profile.efficiency.empty());
}

TEST_F(ProfileFile, SaysWhereItIsWrong) {
  EXPECT_THAT(message_of("name: d\n"), testing::StartsWith("1:1: 'peak_flops_per_s' is missing"));
  EXPECT_THAT(message_of("name: d\npeak_flops_per_s: fast\n"),
              testing::StartsWith("2:19: 'peak_flops_per_s' must be a number"));
  EXPECT_THAT(message_of("name: d\npeak_flops_per_s: -1\n"),
              testing::StartsWith("2:19: 'peak_flops_per_s' is -1; it must be above 0"));
  EXPECT_THAT(message_of(least_ + "kernel_overhed_s: 1\n"),
              testing::StartsWith("4:1: unknown key 'kernel_overhed_s'; did you mean "
                                  "'kernel_overhead_s'?"));
  EXPECT_THAT(message_of(least_ + "kernel_overhead_s: -1\n"),
              testing::StartsWith("4:20: 'kernel_overhead_s' is -1; it must not be negative"));
  EXPECT_THAT(message_of(least_ + "efficiency:\n  convolutoin: 1\n"),
              testing::StartsWith("5:3: unknown key 'convolutoin'; did you mean 'convolution'?"));
  EXPECT_THAT(message_of(least_ + "efficiency:\n  convolution: 1.5\n"),
              testing::StartsWith("5:16: 'convolution' is 1.5; it is a share, so at most 1"));
  EXPECT_THAT(message_of(least_ + "board_speed: 1.5\n"),
              testing::StartsWith("4:14: 'board_speed' is 1.5; it is a share, so at most 1"));
  EXPECT_THAT(message_of(least_ + "board_speed: 0\n"),
              testing::StartsWith("4:14: 'board_speed' is 0; it must be above 0"));
  EXPECT_THAT(message_of(least_ + "efficiency: 0.5\n"), testing::StartsWith("4:13: must be a map"));
  EXPECT_THAT(message_of(least_ + "throughputs: 3\n"),
              testing::StartsWith("4:14: 'throughputs' must be a list"));
  EXPECT_THAT(message_of(least_ + "throughputs:\n  - {model: m, batch_size: 0, images_per_s: 1}\n"),
              testing::StartsWith("5:28: 'batch_size' must be a whole number from 1 on"));
  EXPECT_THAT(message_of(least_ + "layer_times:\n  - {model: m, batch_size: 1, layer: l}\n"),
              testing::StartsWith("5:5: 'forward_s' is missing"));
  EXPECT_THAT(
      message_of(least_ + "throughputs:\n  - {model: vgg16, batch_size: 1, images_per_s: 1}\n"
                          "like:\n  vgg19: vgg61\n"),
      testing::StartsWith("7:10: 'vgg61' is in no line of throughputs; the nearest is "
                          "'vgg16'"));
  EXPECT_THAT(message_of("name: [d\n"), testing::MatchesRegex("[0-9]+:[0-9]+: .*"));
  EXPECT_THAT(message_of("- a\n"), testing::StartsWith("1:1: must be a map"));
  EXPECT_THROW(DeviceProfile::load(folder_.path() / "none.yaml"), InputError);
}

/// 1 TFLOP/s, 100 GB/s.
DeviceProfile plain_profile() {
  DeviceProfile profile;
  profile.name = "plain";
  profile.peak_flops = 1e12;
  profile.memory_bandwidth = 1e11;
  return profile;
}

LayerGraph two_layers() {
  LayerGraph graph("two", {1000, 1, 1});
  LayerOptions options;
  options.outputs = 1000;
  options.bias = false;
  graph.add("fc", LayerKind::kLinear, options, {0});
  graph.add("relu", LayerKind::kRelu, {}, {1});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {2});
  return graph;
}

Seconds time_of(const KernelTimes& times, const LayerGraph& graph, int layer, Phase phase,
                int batch_size) {
  return times(layer_kernel(graph, layer, phase, batch_size));
}

TEST(KernelTimes, FollowTheSlowerOfArithmeticAndMemory) {
  DeviceProfile profile = plain_profile();
  profile.kernel_overhead = 1e-5;
  profile.efficiency[LayerKind::kLinear] = 0.5;
  const LayerGraph graph = two_layers();
  const KernelTimes large(profile, graph, 1000);
  // 1,000 samples: 2e9 FLOPs at half of 1e12; ReLU moves 2 x 4 MB.
  EXPECT_DOUBLE_EQ(time_of(large, graph, 1, Phase::kForward, 1000), 2e9 / 0.5e12 + 1e-5);
  EXPECT_DOUBLE_EQ(time_of(large, graph, 2, Phase::kForward, 1000), 8e6 / 1e11 + 1e-5);
  EXPECT_DOUBLE_EQ(time_of(large, graph, 2, Phase::kBackward, 1000), 12e6 / 1e11 + 1e-5);
  // One sample: 4 MB of weights and 8 kB of activations take longer than 2e6 FLOPs.
  const KernelTimes small(profile, graph, 1);
  EXPECT_DOUBLE_EQ(time_of(small, graph, 1, Phase::kForward, 1), 4.008e6 / 1e11 + 1e-5);
  EXPECT_EQ(large.scale(), 1);
}

TEST(KernelTimes, OfUpdatesReductionsAndInput) {
  DeviceProfile profile = plain_profile();
  profile.iteration_overhead = 0.25;
  profile.kernel_overhead = 1e-3;
  profile.reduction_bandwidth = 5e10;
  Kernel update{.phase = Phase::kUpdate, .name = "update", .flops = 6e9, .bytes = 12e9, .body = {}};
  const LayerGraph graph = two_layers();
  EXPECT_DOUBLE_EQ(KernelTimes(profile, graph, 1)(update), 0.12 + 1e-3);
  profile.update_bandwidth = 24e9;
  const KernelTimes times(profile, graph, 1);
  EXPECT_DOUBLE_EQ(times(update), 0.5 + 1e-3);
  EXPECT_DOUBLE_EQ(
      times({.phase = Phase::kReduce, .name = "add", .flops = 2.5e9, .bytes = 3e10, .body = {}}),
      0.2);
  EXPECT_DOUBLE_EQ(times.reduction(10'000'000'000), 0.2);
  EXPECT_DOUBLE_EQ(times({.phase = Phase::kInput, .name = "input", .bytes = 1, .body = {}}), 0.25);
  EXPECT_EQ(KernelTimes(plain_profile(), graph, 1).reduction(1000), 0);
}

TEST(KernelTimes, TakeMeasuredLayersFirst) {
  DeviceProfile profile = plain_profile();
  profile.layer_times = {
      {"two", 10, "fc", 0.1, 0.2}, {"two", 30, "fc", 0.2, 0.6}, {"other", 10, "relu", 7, 7}};
  const LayerGraph graph = two_layers();
  const auto forward = [&](int batch_size) {
    return time_of(KernelTimes(profile, graph, batch_size), graph, 1, Phase::kForward, batch_size);
  };
  EXPECT_DOUBLE_EQ(forward(10), 0.1);
  EXPECT_DOUBLE_EQ(forward(20), 0.15);
  EXPECT_DOUBLE_EQ(forward(60), 0.4);
  EXPECT_DOUBLE_EQ(forward(5), 0.05);
  const KernelTimes times(profile, graph, 20);
  EXPECT_DOUBLE_EQ(time_of(times, graph, 1, Phase::kBackward, 20), 0.4);
  EXPECT_DOUBLE_EQ(time_of(times, graph, 2, Phase::kForward, 20), 20 * 8e3 / 1e11);
}

Seconds iteration(const DeviceProfile& profile, const LayerGraph& graph, int batch_size) {
  const KernelTimes times(profile, graph, batch_size);
  Seconds total = times({.phase = Phase::kInput, .name = "input", .body = {}});
  for (int layer = 1; layer < static_cast<int>(graph.layers().size()); ++layer) {
    total += time_of(times, graph, layer, Phase::kForward, batch_size);
    total += time_of(times, graph, layer, Phase::kBackward, batch_size);
  }
  const auto parameters = static_cast<double>(graph.parameter_elements());
  return total + times({.phase = Phase::kUpdate,
                        .name = "update",
                        .flops = 6 * parameters,
                        .bytes = 12 * parameters,
                        .body = {}});
}

TEST(KernelTimes, ReproduceAThroughputWithAllOverheads) {
  DeviceProfile profile = plain_profile();
  profile.kernel_overhead = 1e-5;
  profile.iteration_overhead = 0.01;
  profile.throughputs = {{"two", 10, 100}, {"two", 20, 150}};
  const LayerGraph graph = two_layers();
  EXPECT_NEAR(iteration(profile, graph, 10), 0.1, 1e-12);
  EXPECT_NEAR(iteration(profile, graph, 20), 20.0 / 150, 1e-12);
  const double between = KernelTimes(profile, graph, 15).scale();
  const double ends =
      KernelTimes(profile, graph, 10).scale() + KernelTimes(profile, graph, 20).scale();
  EXPECT_DOUBLE_EQ(between, ends / 2);
  EXPECT_EQ(KernelTimes(profile, graph, 99).scale(), KernelTimes(profile, graph, 20).scale());
  profile.throughputs = {{"two", 10, 1000}};
  EXPECT_THROW(KernelTimes(profile, graph, 10), InputError);
}

TEST(KernelTimes, OfAModelUnlikeTheMeasuredOnesAreWarnedOf) {
  DeviceProfile profile = plain_profile();
  profile.name = "v1";
  profile.throughputs = {{"alexnet", 8, 100}, {"vgg16", 8, 0.5}};
  const auto warning = scale_warning(profile, build_model("resnet50"), 8);
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, testing::HasSubstr("device v1 was measured with alexnet, vgg16, not with"));
  EXPECT_FALSE(scale_warning(profile, build_model("vgg16"), 8)) << "it was measured";
  profile.like = {{"vgg19", "vgg16"}};
  EXPECT_FALSE(scale_warning(profile, build_model("vgg19"), 8)) << "like what was measured";
  profile.throughputs.pop_back();
  EXPECT_FALSE(scale_warning(profile, build_model("resnet50"), 8)) << "nothing differs";
}

TEST(KernelTimes, OfAModelWithoutThroughputTakeTheGeometricMean) {
  DeviceProfile profile = plain_profile();
  profile.throughputs = {{"alexnet", 8, 100}, {"vgg16", 8, 5}, {"two", 10, 100}};
  const double alexnet = KernelTimes(profile, build_model("alexnet"), 8).scale();
  const double vgg16 = KernelTimes(profile, build_model("vgg16"), 8).scale();
  EXPECT_NE(alexnet, vgg16);
  EXPECT_NEAR(KernelTimes(profile, build_model("mobilenet_v2"), 8).scale(),
              std::sqrt(alexnet * vgg16), 1e-9 * vgg16);
  profile.like = {{"vgg19", "vgg16"}};
  EXPECT_EQ(KernelTimes(profile, build_model("vgg19"), 8).scale(), vgg16);
  EXPECT_EQ(KernelTimes(profile, build_model("vgg16", {Shape{3, 64, 64}, 10}), 8).scale(), vgg16);
}

struct Row {
  const char* model;
  int batch_size;
  double images_per_s;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.model << " at " << row.batch_size;
}

class K80 : public testing::TestWithParam<Row> {};

// TensorFlow r1 performance guide, Google Compute Engine, synthetic data, 1 GPU.
TEST_P(K80, ReproducesThePublishedThroughput) {
  const DeviceProfile profile = DeviceProfile::load(
      find_resource("platforms", "gcp_k80", "xml").parent_path() / "devices" / "k80.yaml");
  const auto [model, batch_size, images_per_s] = GetParam();
  const double predicted = batch_size / iteration(profile, build_model(model), batch_size);
  EXPECT_NEAR(predicted, images_per_s, 0.001 * images_per_s);
}

INSTANTIATE_TEST_SUITE_P(OneGpu, K80,
                         testing::Values(Row{"inception_v3", 64, 30.5}, Row{"resnet50", 64, 51.9},
                                         Row{"resnet152", 32, 20.0}, Row{"alexnet", 512, 656},
                                         Row{"vgg16", 32, 35.4}, Row{"resnet50", 32, 49.5}),
                         [](const auto& info) {
                           return std::string(info.param.model) + "_" +
                                  std::to_string(info.param.batch_size);
                         });

}  // namespace
}  // namespace tandem
