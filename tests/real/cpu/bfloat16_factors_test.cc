#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/model/zoo.h"
#include "real/cpu/network.h"
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

DType factors_of(const char* name) {
  PrecisionSpec precision;
  precision.name = name;
  return factors_of_products(precision);
}

class Bfloat16Factors : public testing::Test {
 protected:
  void SetUp() override {
    if (factors_of("bf16") == DType::kFloat32)
      GTEST_SKIP() << "this processor multiplies no bfloat16";
  }
};

/// A layer alone before the loss, so that its own gradient tells whether it rounds.
struct RoundedLayer {
  const char* name;
  LayerKind kind;
  LayerOptions options;
  Shape input;
};

LayerOptions window(int outputs, int groups, bool bias) {
  return {.outputs = outputs,
          .kernel_height = 3,
          .kernel_width = 3,
          .padding_height = 1,
          .padding_width = 1,
          .groups = groups,
          .bias = bias};
}

const RoundedLayer kRoundedLayers[] = {
    {"convolution", LayerKind::kConvolution, window(32, 1, true), {32, 6, 6}},
    {"convolution_without_bias", LayerKind::kConvolution, window(32, 1, false), {32, 6, 6}},
    {"convolution_of_images", LayerKind::kConvolution, window(32, 1, true), {3, 8, 8}},
    {"convolution_with_channels_last", LayerKind::kConvolution, window(10, 1, true), {10, 6, 6}},
    {"linear", LayerKind::kLinear, {.outputs = 40}, {64, 1, 1}},
    {"linear_without_bias", LayerKind::kLinear, {.outputs = 40, .bias = false}, {64, 1, 1}},
};

LayerGraph alone(const RoundedLayer& of) {
  LayerGraph graph(of.name, of.input);
  int layer = graph.add("tested", of.kind, of.options, {0});
  if (of.kind == LayerKind::kConvolution)
    layer = graph.add("flat", LayerKind::kFlatten, {}, {layer});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {layer});
  return graph;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double square = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    square += std::pow(double(a[i]) - b[i], 2);
    of_b += std::pow(double(b[i]), 2);
  }
  return std::sqrt(square / of_b);
}

// A factor keeps 8 bits, so is off by 2^-9 of itself at most, and by some 2^-10.5 of it usually.
TEST_F(Bfloat16Factors, KeepEightBits) {
  for (const RoundedLayer& layer : kRoundedLayers) {
    MadeNetwork whole(alone(layer), 48, cpu_network(1));
    MadeNetwork rounded(alone(layer), 48, cpu_network(1, DType::kBFloat16));
    const double loss = whole.forward_and_backward();
    EXPECT_NEAR(rounded.forward_and_backward(), loss, 0.004 * loss) << layer.name;
    const double off = distance(rounded.gradients(), whole.gradients());
    EXPECT_LT(off, 0.01) << layer.name;
    EXPECT_GT(off, 0.0003) << layer.name << " does not round";
  }
}

TEST_F(Bfloat16Factors, LeaveDepthwiseConvolutionsAlone) {
  const RoundedLayer depthwise{
      "depthwise", LayerKind::kConvolution, window(32, 32, true), {32, 6, 6}};
  MadeNetwork whole(alone(depthwise), 8, cpu_network(1));
  MadeNetwork rounded(alone(depthwise), 8, cpu_network(1, DType::kBFloat16));
  EXPECT_EQ(rounded.forward_and_backward(), whole.forward_and_backward());
  EXPECT_EQ(distance(rounded.gradients(), whole.gradients()), 0);
}

// Sums are float32's: products of numbers that bfloat16 holds come out the same.
TEST_F(Bfloat16Factors, AreAddedInFloat32) {
  LayerGraph graph("one_convolution", {32, 3, 3});
  int layer = graph.add("tested", LayerKind::kConvolution,
                        {.outputs = 32, .kernel_height = 3, .kernel_width = 3}, {0});
  layer = graph.add("flat", LayerKind::kFlatten, {}, {layer});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {layer});
  MadeNetwork whole(graph, 4, cpu_network(1)), rounded(graph, 4, cpu_network(1, DType::kBFloat16));
  for (MadeNetwork* net : {&whole, &rounded}) {
    for (std::size_t i = 0; i < net->images().size(); ++i) {
      net->images()[i] = static_cast<float>(int(i % 13) - 6) / 16;
    }
    for (std::size_t i = 0; i < net->parameters().size(); ++i) {
      net->parameters()[i] = static_cast<float>(int(i % 11) - 5) / 8;
    }
  }
  EXPECT_EQ(rounded.forward(), whole.forward());
}

TEST_F(Bfloat16Factors, GiveTheSameBitsAgain) {
  MadeNetwork net(build_model("mnist_cnn"), 8, cpu_network(1, DType::kBFloat16));
  net.forward_and_backward();
  const std::vector<float> first(net.gradients().begin(), net.gradients().end());
  net.forward_and_backward();
  EXPECT_EQ(std::vector<float>(net.gradients().begin(), net.gradients().end()), first);
}

TEST(FactorsOfProducts, AreFloat32OfOtherPrecisions) {
  for (const char* name : {"fp32", "tf32", "fp16"}) {
    EXPECT_EQ(factors_of(name), DType::kFloat32) << name;
  }
}

}  // namespace
}  // namespace tandem
