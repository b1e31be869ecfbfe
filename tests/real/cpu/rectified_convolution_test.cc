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
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

constexpr int kBatchSize = 3;

/// What a stage makes of a batch, and its gradients by its input and its parameters.
struct Passes {
  std::vector<float> output, by_input, by_parameters;
};

/// `by_output` is formed from the output.
template <typename ByOutput>
Passes run(const LayerGraph& stage, const ByOutput& by_output) {
  const Buffer parameters = make_host_buffer(stage.parameter_elements(), DType::kFloat32);
  const Buffer gradients = make_host_buffer(stage.parameter_elements(), DType::kFloat32);
  for (std::size_t i = 0; i < stage.parameter_elements(); ++i)
    parameters.view().floats()[i] = 2 * chirp(i, 0.1);
  std::vector<float> input(kBatchSize * stage.input().elements());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = 3 * chirp(i, 0.7);
  const auto network = cpu_network(1)(stage, kBatchSize, parameters.view(), gradients.view());
  network->load({input, {}}, Mode::kTraining, 1);
  const int layers = static_cast<int>(stage.layers().size());
  for (int i = 1; i < layers; ++i) network->forward(i);
  Passes passes;
  passes.output.resize(kBatchSize * stage.layers().back().output.elements());
  network->copy_output(passes.output);
  network->load_output_gradient(by_output(passes.output));
  for (int i = layers - 1; i > 0; --i) network->backward(i);
  passes.by_input.resize(input.size());
  network->copy_input_gradient(passes.by_input);
  const auto floats = gradients.view().floats();
  passes.by_parameters.assign(floats.begin(), floats.end());
  return passes;
}

/// Of each float: 0 and -0 differ.
std::vector<std::uint32_t> bits(const std::vector<float>& floats) {
  std::vector<std::uint32_t> bits;
  bits.reserve(floats.size());
  for (const float number : floats) bits.push_back(std::bit_cast<std::uint32_t>(number));
  return bits;
}

float gradient_at(std::size_t i) {
  return chirp(i, 0.2);
}

struct Case {
  const char* name;
  LayerKind rectifier;
  float most;
  int channels, groups;
  bool bias;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
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

  const auto is_passed_on = [&](float sum) { return sum > 0 && sum < c.most; };
  const Passes alone = run(graph.stage(2, 2), [&](const std::vector<float>& sums) {
    std::vector<float> gradient(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      gradient[i] = is_passed_on(sums[i]) ? gradient_at(i) : 0;
    return gradient;
  });
  const Passes both = run(graph.stage(2, 3), [](const std::vector<float>& rectified) {
    std::vector<float> gradient(rectified.size());
    for (std::size_t i = 0; i < rectified.size(); ++i) gradient[i] = gradient_at(i);
    return gradient;
  });

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
