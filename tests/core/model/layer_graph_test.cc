#include "core/model/layer_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/graph/topological_sort.hpp>

#include "core/base/error.h"

namespace tandem {
namespace {

LayerOptions window(int kernel, int stride, int padding, int outputs = 0) {
  LayerOptions options;
  options.outputs = outputs;
  options.kernel_height = options.kernel_width = kernel;
  options.stride_height = options.stride_width = stride;
  options.padding_height = options.padding_width = padding;
  return options;
}

LayerOptions outputs(int count) {
  LayerOptions options;
  options.outputs = count;
  return options;
}

int pool_height(LayerGraph& graph, const std::string& name, const LayerOptions& options) {
  const int pool = graph.add(name, LayerKind::kMaxPool, options, {0});
  return graph.layers()[pool].output.height;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LayerGraph, InfersTheShapeOfAConvolution) {
  LayerGraph graph("m", {3, 10, 12});
  LayerOptions options = window(3, 2, 1, 8);
  options.kernel_width = 5;
  options.stride_width = 1;
  options.padding_width = 0;
  const int layer = graph.add("conv", LayerKind::kConvolution, options, {0});
  EXPECT_EQ(graph.layers()[layer].output, (Shape{8, 5, 8}));
  EXPECT_EQ(graph.layers()[layer].parameter_elements, 8u * 3 * 3 * 5 + 8);
}

TEST(LayerGraph, PoolsRoundDownUnlessTold) {
  LayerGraph graph("m", {4, 7, 7});
  LayerOptions options = window(2, 2, 0);
  EXPECT_EQ(pool_height(graph, "down", options), 3);
  options.ceil_mode = true;
  EXPECT_EQ(pool_height(graph, "up", options), 4);
}

TEST(LayerGraph, NoWindowBeginsInThePaddingBehindTheInput) {
  // Rounding up would put a third window at row 4 of an input that ends at row 3 + padding 1.
  LayerGraph graph("m", {1, 3, 3});
  LayerOptions options = window(2, 2, 1);
  options.ceil_mode = true;
  EXPECT_EQ(pool_height(graph, "pool", options), 2);
}

TEST(LayerGraph, ParametersAreOneArenaInOrder) {
  LayerGraph graph("m", {2, 4, 4});
  graph.add("conv", LayerKind::kConvolution, window(3, 1, 1, 6), {0});
  graph.add("bn", LayerKind::kBatchNorm, {}, {1});
  graph.add("fc", LayerKind::kLinear, outputs(5), {2});
  const auto layers = graph.layers();
  EXPECT_EQ(layers[1].parameter_offset, 0u);
  EXPECT_EQ(layers[1].parameters[1].offset, 6u * 2 * 9);
  EXPECT_EQ(layers[2].parameter_offset, 6u * 2 * 9 + 6);
  EXPECT_EQ(layers[2].parameters[1].offset, 6u * 2 * 9 + 6 + 6);
  EXPECT_EQ(layers[3].parameter_offset, 6u * 2 * 9 + 6 + 12);
  EXPECT_EQ(layers[3].parameters[0].fan_in, 6u * 4 * 4);
  EXPECT_EQ(graph.parameter_elements(), 6u * 2 * 9 + 6 + 12 + 96 * 5 + 5);
  EXPECT_EQ(graph.checkpoint_bytes(), 4 * (graph.parameter_elements() + 12));
}

TEST(LayerGraph, CountsFlopsOfForwardAndBackward) {
  LayerGraph graph("m", {2, 4, 4});
  graph.add("conv1", LayerKind::kConvolution, window(3, 1, 1, 6), {0});
  graph.add("conv2", LayerKind::kConvolution, window(3, 1, 0, 4), {1});
  const double first = 2.0 * 16 * 6 * 18, second = 2.0 * 4 * 4 * 54;
  EXPECT_EQ(graph.layers()[1].forward_flops, first);
  EXPECT_EQ(graph.layers()[1].backward_flops, first) << "the images need no gradient";
  EXPECT_EQ(graph.layers()[2].forward_flops, second);
  EXPECT_EQ(graph.layers()[2].backward_flops, 2 * second);
  EXPECT_EQ(graph.multiply_adds(), (first + second) / 2);
  EXPECT_EQ(graph.forward_flops(), first + second);
  EXPECT_EQ(graph.backward_flops(), first + 2 * second);
}

TEST(LayerGraph, LayersBeforeAnyParameterHaveNoBackward) {
  LayerGraph graph("m", {1, 8, 8});
  graph.add("pool", LayerKind::kMaxPool, window(2, 2, 0), {0});
  graph.add("fc", LayerKind::kLinear, outputs(3), {1});
  EXPECT_FALSE(graph.layers()[1].needs_gradient);
  EXPECT_EQ(graph.layers()[1].backward_flops, 0);
  EXPECT_EQ(graph.layers()[1].backward_bytes, 0);
  EXPECT_TRUE(graph.layers()[2].needs_gradient);
  EXPECT_EQ(graph.layers()[2].backward_flops, 2.0 * 16 * 3);
}

TEST(LayerGraph, KernelsCountParametersOnceABatch) {
  LayerGraph graph("m", {2, 4, 4});
  graph.add("conv1", LayerKind::kConvolution, window(3, 1, 1, 6), {0});
  const int layer = graph.add("fc", LayerKind::kLinear, outputs(10), {1});
  const double in = 4.0 * 96, out = 4.0 * 10, weights = 4.0 * (96 * 10 + 10);
  const Kernel forward = layer_kernel(graph, layer, Phase::kForward, 8);
  EXPECT_EQ(forward.layer, layer);
  EXPECT_EQ(forward.name, "fc");
  EXPECT_EQ(forward.flops, 8 * 2.0 * 96 * 10);
  EXPECT_EQ(forward.bytes, 8 * (in + out) + weights);
  const Kernel backward = layer_kernel(graph, layer, Phase::kBackward, 8);
  EXPECT_EQ(backward.flops, 8 * 4.0 * 96 * 10);
  EXPECT_EQ(backward.bytes, 8 * (2 * in + 2 * out) + 2 * weights);
}

TEST(LayerGraph, AddAndConcatJoinBranches) {
  LayerGraph graph("m", {2, 4, 4});
  const int left = graph.add("left", LayerKind::kConvolution, window(1, 1, 0, 2), {0});
  const int sum = graph.add("sum", LayerKind::kAdd, {}, {left, 0});
  const int both = graph.add("both", LayerKind::kConcat, {}, {sum, left, 0});
  EXPECT_EQ(graph.layers()[sum].output, (Shape{2, 4, 4}));
  EXPECT_EQ(graph.layers()[both].output, (Shape{6, 4, 4}));
  EXPECT_EQ(boost::out_degree(0, graph.dag()), 3u);
  EXPECT_EQ(boost::in_degree(both, graph.dag()), 3u);
  EXPECT_TRUE(boost::edge(left, sum, graph.dag()).second);
}

struct Misfit {
  LayerKind kind;
  LayerOptions options;
  std::vector<int> inputs;
  std::string expected;
};

TEST(LayerGraph, SaysWhichLayerDoesNotFitAndWhy) {
  LayerOptions groups = window(1, 1, 0, 4);
  groups.groups = 2;
  LayerOptions probability;
  probability.probability = 1;
  const std::vector<Misfit> misfits = {
      {LayerKind::kConvolution, window(5, 1, 0, 4), {0}, "must be at least 5x5"},
      {LayerKind::kConvolution, window(1, 1, 0, 0), {0}, "outputs is 0"},
      {LayerKind::kConvolution, window(1, 0, 0, 4), {0}, "stride is 0x0"},
      {LayerKind::kConvolution, window(0, 1, 0, 4), {0}, "kernel is 0x0"},
      {LayerKind::kConvolution, window(1, 1, -1, 4), {0}, "padding is -1x-1"},
      {LayerKind::kConvolution, groups, {0}, "groups is 2"},
      {LayerKind::kMaxPool, window(2, 1, 2), {0}, "more than half of kernel 2x2"},
      {LayerKind::kDropout, probability, {0}, "probability is 1"},
      {LayerKind::kAdd, {}, {0}, "needs two or more"},
      {LayerKind::kAdd, {}, {0, 1}, "must be of one shape"},
      {LayerKind::kConcat, {}, {0, 1}, "must be of one height and width"},
      {LayerKind::kSoftmaxLoss, {}, {0}, "one figure a class"},
      {LayerKind::kRelu, {}, {0, 1}, "needs one"},
      {LayerKind::kRelu, {}, {7}, "reads layer 7"},
      {LayerKind::kInput, {}, {0}, "only the first layer"},
  };
  for (const Misfit& misfit : misfits) {
    LayerGraph graph("net", {3, 4, 4});
    graph.add("small", LayerKind::kMaxPool, window(2, 2, 0), {0});
    const std::string message =
        message_of([&] { graph.add("odd", misfit.kind, misfit.options, misfit.inputs); });
    EXPECT_THAT(message, testing::StartsWith("model 'net', layer 'odd' ("));
    EXPECT_THAT(message, testing::HasSubstr(misfit.expected));
    EXPECT_EQ(graph.layers().size(), 2u) << "a layer that was refused must leave no trace";
  }
}

TEST(LayerGraph, NamesDifferAndTheLossIsLast) {
  LayerGraph graph("net", {4, 1, 1});
  graph.add("a", LayerKind::kRelu, {}, {0});
  EXPECT_THAT(message_of([&] { graph.add("a", LayerKind::kRelu, {}, {1}); }),
              testing::HasSubstr("names must differ"));
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {1});
  EXPECT_EQ(graph.classes(), 4);
  EXPECT_THAT(message_of([&] { graph.add("b", LayerKind::kRelu, {}, {2}); }),
              testing::HasSubstr("must be the last layer"));
  EXPECT_THAT(message_of([] { LayerGraph("net", {3, 0, 4}); }), testing::HasSubstr("3x0x4"));
}

TEST(LayerKind, EveryNameParsesBack) {
  EXPECT_EQ(layer_kind_names().size(), 18u);
  for (const std::string& name : layer_kind_names()) {
    ASSERT_TRUE(parse_layer_kind(name)) << name;
    EXPECT_EQ(to_string(*parse_layer_kind(name)), name);
  }
  EXPECT_FALSE(parse_layer_kind("convolutoin"));
}

}  // namespace
}  // namespace tandem
