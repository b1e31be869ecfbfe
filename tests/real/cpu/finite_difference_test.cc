#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>

#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

constexpr int kBatchSize = 3;

/// Adds the layer under test after layer `input` and returns its index.
using AddLayer = std::function<int(LayerGraph&, int input)>;

/// What the tested layer is put between.
enum class Surroundings { kImages, kSequences, kTokens };

struct Case {
  std::string name;
  AddLayer add;
  Surroundings surroundings = Surroundings::kImages;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

LayerOptions window(int kernel, int stride, int padding) {
  return {.kernel_height = kernel,
          .kernel_width = kernel,
          .stride_height = stride,
          .stride_width = stride,
          .padding_height = padding,
          .padding_width = padding};
}

LayerOptions convolution(int outputs, int kernel, int stride, int padding, int groups = 1,
                         bool bias = true) {
  LayerOptions options = window(kernel, stride, padding);
  options.outputs = outputs;
  options.groups = groups;
  options.bias = bias;
  return options;
}

/// One layer of `kind` that reads what it is put after.
Case one(std::string name, LayerKind kind, LayerOptions options = {}) {
  return {std::move(name), [kind, options](LayerGraph& graph, int input) {
            return graph.add("tested", kind, options, {input});
          }};
}

/// The same within sequences.
Case in_sequence(std::string name, LayerKind kind, LayerOptions options = {}) {
  Case result = one(std::move(name), kind, options);
  result.surroundings = Surroundings::kSequences;
  return result;
}

Case embedding() {
  return {"embedding",
          [](LayerGraph& graph, int input) {
            return graph.add("tested", LayerKind::kEmbedding, {.outputs = 12, .vocabulary = 4},
                             {input});
          },
          Surroundings::kTokens};
}

/// `kind` over two branches of 1x1 convolutions, of `outputs` channels the second.
Case merge(std::string name, LayerKind kind, int outputs) {
  return {std::move(name), [kind, outputs](LayerGraph& graph, int input) {
            const int left =
                graph.add("left", LayerKind::kConvolution, convolution(16, 1, 1, 0), {input});
            const int right =
                graph.add("right", LayerKind::kConvolution, convolution(outputs, 1, 1, 0), {input});
            return graph.add("tested", kind, {}, {left, right});
          }};
}

std::vector<Case> cases() {
  LayerOptions ceil = window(3, 2, 0);
  ceil.ceil_mode = true;
  LayerOptions uncounted = window(3, 2, 1);
  uncounted.count_padding = false;
  LayerOptions oblong = convolution(6, 1, 1, 0);
  oblong.kernel_width = 5;
  oblong.padding_width = 2;
  oblong.stride_height = 2;
  return {
      one("convolution", LayerKind::kConvolution, convolution(24, 3, 1, 1)),
      one("convolution_of_odd_channels", LayerKind::kConvolution, convolution(7, 5, 2, 2)),
      one("convolution_oblong", LayerKind::kConvolution, oblong),
      one("convolution_without_bias", LayerKind::kConvolution, convolution(16, 1, 2, 0, 1, false)),
      one("convolution_grouped", LayerKind::kConvolution, convolution(32, 3, 1, 0, 4)),
      one("convolution_depthwise", LayerKind::kConvolution, convolution(16, 3, 2, 1, 16)),
      one("linear", LayerKind::kLinear, {.outputs = 6}),
      one("linear_without_bias", LayerKind::kLinear, {.outputs = 6, .bias = false}),
      // Mixes channels first: a batch norm takes out the scale of a single one.
      {"batch_norm",
       [](LayerGraph& graph, int input) {
         const int mixed = graph.add("mixed", LayerKind::kConvolution,
                                     convolution(16, 1, 1, 0, 1, false), {input});
         return graph.add("tested", LayerKind::kBatchNorm, {}, {mixed});
       }},
      one("relu", LayerKind::kRelu),
      one("relu6", LayerKind::kRelu6),
      one("max_pool", LayerKind::kMaxPool, window(2, 2, 0)),
      one("max_pool_overlapping", LayerKind::kMaxPool, window(3, 2, 1)),
      one("max_pool_ceil", LayerKind::kMaxPool, ceil),
      one("average_pool", LayerKind::kAveragePool, window(2, 1, 1)),
      one("average_pool_uncounted", LayerKind::kAveragePool, uncounted),
      one("global_average_pool", LayerKind::kGlobalAveragePool),
      one("dropout", LayerKind::kDropout, {.probability = 0.4}),
      one("flatten", LayerKind::kFlatten),
      in_sequence("linear_of_each_row", LayerKind::kLinear, {.outputs = 7, .each_row = true}),
      in_sequence("linear_of_all_rows", LayerKind::kLinear, {.outputs = 7}),
      in_sequence("layer_norm", LayerKind::kLayerNorm),
      {"layer_norm_of_a_vector",
       [](LayerGraph& graph, int input) {
         const int vector = graph.add("vector", LayerKind::kFlatten, {}, {input});
         return graph.add("tested", LayerKind::kLayerNorm, {}, {vector});
       }},
      in_sequence("gelu", LayerKind::kGelu),
      one("gelu_of_images", LayerKind::kGelu),
      in_sequence("attention_of_one_head", LayerKind::kAttention),
      in_sequence("attention_of_two_heads", LayerKind::kAttention, {.heads = 2}),
      embedding(),
      merge("add", LayerKind::kAdd, 16),
      merge("concat", LayerKind::kConcat, 32),
      merge("concat_of_odd_channels", LayerKind::kConcat, 5),
      {"add_of_its_own_input",
       [](LayerGraph& graph, int input) {
         const int branch =
             graph.add("branch", LayerKind::kConvolution, convolution(16, 3, 1, 1), {input});
         return graph.add("tested", LayerKind::kAdd, {}, {input, branch});
       }},
      {"add_twice_the_same",
       [](LayerGraph& graph, int input) {
         return graph.add("tested", LayerKind::kAdd, {}, {input, input});
       }},
      {"three_readers",
       [](LayerGraph& graph, int input) {
         const int relu = graph.add("relu", LayerKind::kRelu, {}, {input});
         const int norm = graph.add("norm", LayerKind::kBatchNorm, {}, {input});
         return graph.add("tested", LayerKind::kConcat, {}, {relu, input, norm});
       }},
      {"relu_beside_another_reader",
       [](LayerGraph& graph, int input) {
         const int norm = graph.add("norm", LayerKind::kBatchNorm, {}, {input});
         const int relu = graph.add("relu", LayerKind::kRelu, {}, {input});
         return graph.add("tested", LayerKind::kConcat, {}, {norm, relu});
       }},
      {"relus_of_one_sum",
       [](LayerGraph& graph, int input) {
         const int left =
             graph.add("left", LayerKind::kConvolution, convolution(16, 1, 1, 0, 16), {input});
         const int right =
             graph.add("right", LayerKind::kConvolution, convolution(16, 1, 1, 0, 16), {input});
         const int first = graph.add("relu_left", LayerKind::kRelu, {}, {left});
         const int second = graph.add("relu_right", LayerKind::kRelu6, {}, {right});
         return graph.add("tested", LayerKind::kAdd, {}, {first, second});
       }},
  };
}

/// A convolution, the layer under test, and a linear layer to the loss. The gradient by the first
/// convolution's parameters is right only if the tested layer's gradient by its input is. Each
/// output of that convolution is one input times one weight.
LayerGraph around_image(const AddLayer& add) {
  LayerGraph graph("tested", {2, 7, 8});
  const int before =
      graph.add("before", LayerKind::kConvolution, convolution(16, 1, 1, 0, 2, false), {0});
  const int tested = add(graph, before);
  const int after = graph.add("after", LayerKind::kLinear, {.outputs = 5}, {tested});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {after});
  return graph;
}

/// A linear layer of each row, the layer under test, and another to a loss at every position.
LayerGraph around_sequence(const AddLayer& add, Surroundings surroundings) {
  const bool has_tokens = surroundings == Surroundings::kTokens;
  LayerGraph graph("tested", {1, 5, has_tokens ? 1 : 6});
  const int before =
      has_tokens ? 0
                 : graph.add("before", LayerKind::kLinear, {.outputs = 12, .each_row = true}, {0});
  const int tested = add(graph, before);
  const int after =
      graph.add("after", LayerKind::kLinear, {.outputs = 5, .each_row = true}, {tested});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {after});
  return graph;
}

LayerGraph around(const Case& example) {
  if (example.surroundings == Surroundings::kImages) return around_image(example.add);
  return around_sequence(example.add, example.surroundings);
}

/// A central difference is wrong where a step carries an activation over the edge of a ReLU or past
/// its rival in a maximum. So inputs are +-[1, 2] (every fifth +-[16, 32], beyond the upper edge of
/// ReLU6, where `large`), all different, and layers of one input an output have weights of
/// +-[0.5, 1] and biases of +-0.1: nothing comes nearer to an edge than 0.1, and a step of a weight
/// scales all rivals alike.
void keep_off_edges(MadeNetwork& net, bool large) {
  if (net.graph().vocabulary() > 0) return;
  for (std::size_t i = 0; i < net.images().size(); ++i) {
    const float magnitude = 1 + static_cast<float>(i * 37 % 1009) / 1009;
    const float scale = large && i % 5 == 0 ? 16 : 1;
    net.images()[i] = std::copysign(scale * magnitude, chirp(i, 0.5));
  }
  for (const Layer& layer : net.graph().layers()) {
    for (const ParameterTensor& tensor : layer.parameters) {
      if (layer.kind == LayerKind::kBatchNorm || tensor.fan_in > 1) continue;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.elements; ++i) {
        const float x = chirp(i, 0);
        net.parameters()[i] =
            tensor.name == "weight" ? std::copysign(0.5F + std::abs(x) / 2, x) : 0.1F * x;
      }
    }
  }
}

/// d loss / d parameter i by central differences.
double difference_quotient(MadeNetwork& net, std::size_t i, float step) {
  const float value = net.parameters()[i];
  net.parameters()[i] = value + step;
  const double above = net.forward();
  net.parameters()[i] = value - step;
  const double below = net.forward();
  net.parameters()[i] = value;
  return (above - below) / (2 * double(step));
}

class FiniteDifference : public testing::TestWithParam<Case> {};

/// The loss comes from float32 logits of magnitude about 1, so it carries an error of about 2e-7,
/// and a quotient with a step of 2^-8 one of 2e-7 / 2^-7 = 3e-5; what the third derivative
/// contributes is step^2 / 6 = 3e-6 times it. Gradients here are 0.01 to 1, so the two vectors must
/// agree within 1 % of their length; a wrong sign, factor or index is off by 10 % and more.
TEST_P(FiniteDifference, AgreesWithBackward) {
  MadeNetwork net(around(GetParam()), kBatchSize);
  keep_off_edges(net, GetParam().name == "relu6");
  net.forward_and_backward();
  const std::vector<float> gradients(net.gradients().begin(), net.gradients().end());
  for (const Layer& layer : net.graph().layers()) {
    for (const ParameterTensor& tensor : layer.parameters) {
      double error = 0, length = 0;
      const std::size_t stride = std::max<std::size_t>(1, tensor.elements / 48);
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.elements; i += stride) {
        const double quotient = difference_quotient(net, i, 0x1p-8F);
        error += (gradients[i] - quotient) * (gradients[i] - quotient);
        length += quotient * quotient;
      }
      EXPECT_GT(length, 1e-6) << layer.name << "." << tensor.name << " is not exercised";
      EXPECT_LT(std::sqrt(error / length), 0.01) << layer.name << "." << tensor.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, FiniteDifference, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tandem
