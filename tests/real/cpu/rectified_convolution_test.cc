// A convolution rectifies what it makes where a rectifier alone reads it. What comes out, and its
// gradients, are the bits of both layers by themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "real/cpu/network.h"
#include "tests/real/cpu/stage_passes.h"

namespace tandem {
namespace {

constexpr int kBatchSize = 3;

/// Of each float: 0 and -0 differ.
std::vector<std::uint32_t> bits(const std::vector<float>& floats) {
  std::vector<std::uint32_t> bits;
  bits.reserve(floats.size());
  for (const float number : floats) bits.push_back(std::bit_cast<std::uint32_t>(number));
  return bits;
}

struct Case {
  const char* name;
  LayerKind rectifier;
  float most;
  int channels, groups;
  bool bias;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class RectifiedConvolution : public testing::TestWithParam<Case> {};

TEST_P(RectifiedConvolution, HasTheBitsOfBothLayers) {
  const Case& c = GetParam();
  LayerGraph graph("rectified", {c.channels, 7, 6});
  const LayerOptions options{.outputs = c.channels,
                             .kernel_height = 3,
                             .kernel_width = 3,
                             .padding_height = 1,
                             .padding_width = 1,
                             .groups = c.groups,
                             .bias = c.bias};
  // So that there is a gradient by the tested one's input.
  int layer = graph.add("before", LayerKind::kConvolution, options, {0});
  layer = graph.add("convolution", LayerKind::kConvolution, options, {layer});
  layer = graph.add("rectifier", c.rectifier, {}, {layer});
  layer = graph.add("flat", LayerKind::kFlatten, {}, {layer});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {layer});

  // The gradient by what both make; by what the convolution makes alone, as the rectifier passes
  // on.
  const auto run = [&](int last, const auto& is_passed_on) {
    const auto by_output = [&](const std::vector<float>& output) {
      std::vector<float> gradient(output.size());
      for (std::size_t i = 0; i < output.size(); ++i)
        gradient[i] = is_passed_on(output[i]) ? chirp(i, 0.2) : 0;
      return gradient;
    };
    return run_stage(graph.stage(2, last), kBatchSize, cpu_network(1), {2.0F, 3.0F}, by_output);
  };
  const StagePasses alone = run(2, [&](float sum) { return sum > 0 && sum < c.most; });
  const StagePasses both = run(3, [](float) { return true; });

  const auto [least, most] = std::ranges::minmax(alone.output);
  EXPECT_LT(least, 0);
  EXPECT_TRUE(c.rectifier == LayerKind::kRelu || most > c.most);
  std::vector<float> rectified = alone.output;
  for (float& sum : rectified) sum = std::clamp(sum, 0.0F, c.most);
  EXPECT_EQ(bits(both.output), bits(rectified));
  EXPECT_EQ(bits(both.by_input), bits(alone.by_input));
  EXPECT_EQ(bits(both.by_parameters), bits(alone.by_parameters));
}

constexpr float kUnbounded = 1e30F;

INSTANTIATE_TEST_SUITE_P(
    , RectifiedConvolution,
    testing::Values(Case{"relu", LayerKind::kRelu, kUnbounded, 32, 1, true},
                    Case{"relu_without_bias", LayerKind::kRelu, kUnbounded, 32, 1, false},
                    Case{"relu_with_channels_last", LayerKind::kRelu, kUnbounded, 10, 1, true},
                    Case{"relu6", LayerKind::kRelu6, 6, 32, 1, true},
                    Case{"relu6_of_depthwise", LayerKind::kRelu6, 6, 32, 32, false}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tandem
