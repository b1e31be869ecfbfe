// Each operator on models of a few nodes.

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/interchange/onnx/import.h"
#include "core/model/custom.h"
#include "tests/core/interchange/onnx/made_file.h"
#include "tests/core/interchange/onnx/model_bytes.h"

namespace tandem::onnx {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ImportedModel imported(const ModelBytes& model, std::optional<Shape> input = std::nullopt) {
  return import_model(MadeFile(model.bytes()).path(), input);
}

std::string error_of(const ModelBytes& model, std::optional<Shape> input = std::nullopt) {
  try {
    imported(model, input);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Images of three channels, 8 by 8.
ModelBytes images() {
  return ModelBytes().input("x", {0, 3, 8, 8});
}

/// A model of the one node that makes "y".
ModelBytes one(const ModelBytes& before, const std::string& op,
               const std::vector<std::string>& inputs,
               const std::vector<MadeAttribute>& attributes = {}) {
  return ModelBytes(before).node(op, inputs, {"y"}, attributes).output("y");
}

std::vector<LayerKind> kinds(const ImportedModel& model) {
  std::vector<LayerKind> kinds;
  for (const LayerSpec& layer : model.layers) kinds.push_back(layer.kind);
  return kinds;
}

TEST(OnnxOperators, ConvolutionTakesItsKernelFromItsWeights) {
  const ImportedModel model =
      imported(one(images().weight("w", {6, 1, 3, 5}).weight("b", {6}), "Conv", {"x", "w", "b"},
                   {{.name = "group", .integer = 3},
                    {.name = "strides", .integers = {2, 1}},
                    {.name = "pads", .integers = {1, 2, 1, 2}}}));
  EXPECT_EQ(model.input, (Shape{3, 8, 8}));
  ASSERT_EQ(model.layers.size(), 1U);
  EXPECT_EQ(model.layers[0].name, "make_y");
  EXPECT_THAT(model.layers[0].inputs, ElementsAre("input"));
  const LayerOptions& options = model.layers[0].options;
  EXPECT_EQ(options.outputs, 6);
  EXPECT_EQ(options.groups, 3);
  EXPECT_EQ(options.kernel_height, 3);
  EXPECT_EQ(options.kernel_width, 5);
  EXPECT_EQ(options.stride_height, 2);
  EXPECT_EQ(options.stride_width, 1);
  EXPECT_EQ(options.padding_height, 1);
  EXPECT_EQ(options.padding_width, 2);
  EXPECT_TRUE(options.bias);
}

TEST(OnnxOperators, PaddingIsFoundForSame) {
  const ModelBytes before = images().weight("w", {4, 3, 3, 3});
  const MadeAttribute same{.name = "auto_pad", .text = "SAME_UPPER"};
  EXPECT_EQ(imported(one(before, "Conv", {"x", "w"}, {same})).layers[0].options.padding_height, 1);
  EXPECT_THAT(
      error_of(one(before, "Conv", {"x", "w"}, {same, {.name = "strides", .integers = {2, 2}}})),
      HasSubstr("node 'make_y' (Conv): pads 0 on one side and 1 on the other"));
}

TEST(OnnxOperators, BiasThatIsAddedJoinsItsLayer) {
  ModelBytes model;
  model.input("x", {0, 5}).weight("w", {5, 4}).weight("b", {4});
  model.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"b", "p"}, {"y"}).output("y");
  const ImportedModel linear = imported(model);
  ASSERT_THAT(kinds(linear), ElementsAre(LayerKind::kLinear));
  EXPECT_TRUE(linear.layers[0].options.bias);
  EXPECT_EQ(linear.input, (Shape{5, 1, 1}));

  ModelBytes convolution = images().weight("w", {4, 3, 1, 1}).weight("b", {1, 4, 1, 1});
  convolution.node("Conv", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"y"}).output("y");
  EXPECT_TRUE(imported(convolution).layers[0].options.bias);
}

TEST(OnnxOperators, BiasOfAnotherReaderIsRefused) {
  ModelBytes model;
  model.input("x", {0, 4}).weight("w", {4, 4}).weight("b", {4});
  model.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"q"});
  model.node("Add", {"q", "p"}, {"y"}).output("y");  // p without the bias
  EXPECT_THAT(error_of(model), HasSubstr("node 'make_q' (Add): input 2 has to be computed"));
}

TEST(OnnxOperators, BiasBehindAnotherNameIsRefused) {
  ModelBytes model;
  model.input("x", {0, 4}).weight("w", {4, 4}).weight("b", {4});
  model.node("MatMul", {"x", "w"}, {"p"}).node("Identity", {"p"}, {"i"});
  model.node("Add", {"i", "b"}, {"q"}).node("Add", {"q", "p"}, {"y"}).output("y");
  EXPECT_THAT(error_of(model), HasSubstr("node 'make_q' (Add): input 2 has to be computed"));
}

TEST(OnnxOperators, BiasOfZerosIsNone) {
  ModelBytes model = images().weight("w", {4, 3, 1, 1}).number("zero", 0);
  model.node("Shape", {"w"}, {"n"}, {{.name = "end", .integer = 1}});
  model.node("Expand", {"zero", "n"}, {"b"}).node("Conv", {"x", "w", "b"}, {"y"}).output("y");
  EXPECT_FALSE(imported(model).layers[0].options.bias);
}

TEST(OnnxOperators, ClipIsReluOrRelu6) {
  const ModelBytes bounds = images().number("zero", 0).number("six", 6);
  EXPECT_THAT(kinds(imported(one(bounds, "Clip", {"x", "zero", "six"}))),
              ElementsAre(LayerKind::kRelu6));
  EXPECT_THAT(kinds(imported(one(bounds, "Clip", {"x", "zero"}))), ElementsAre(LayerKind::kRelu));
  EXPECT_THAT(
      kinds(imported(one(images(), "Clip", {"x"},
                         {{.name = "min", .number = 0.F}, {.name = "max", .number = 6.F}}))),
      ElementsAre(LayerKind::kRelu6));
  EXPECT_THAT(error_of(one(bounds, "Clip", {"x", "six"})), HasSubstr("clips to 6 and"));
}

TEST(OnnxOperators, BatchNormKeepsItsNumbers) {
  const ImportedModel model =
      imported(one(images().weight("s", {3}), "BatchNormalization", {"x", "s", "s", "s", "s"},
                   {{.name = "epsilon", .number = 1e-3F}, {.name = "momentum", .number = 0.8F}}));
  EXPECT_EQ(model.layers[0].options.epsilon, 1e-3);
  EXPECT_EQ(model.layers[0].options.momentum, 0.2);
}

TEST(OnnxOperators, PoolsStepByOneUnlessTold) {
  const MadeAttribute kernel{.name = "kernel_shape", .integers = {3, 3}};
  const LayerOptions most = imported(one(images(), "MaxPool", {"x"}, {kernel})).layers[0].options;
  EXPECT_EQ(most.kernel_width, 3);
  EXPECT_EQ(most.stride_width, 1);
  const LayerOptions mean =
      imported(one(images(), "AveragePool", {"x"}, {kernel})).layers[0].options;
  EXPECT_FALSE(mean.count_padding);
}

TEST(OnnxOperators, PoolOfSinglePixelsIsNone) {
  ModelBytes model = images();
  model.node("AveragePool", {"x"}, {"p"}, {{.name = "kernel_shape", .integers = {1, 1}}});
  EXPECT_THAT(kinds(imported(one(model, "Relu", {"p"}))), ElementsAre(LayerKind::kRelu));
}

TEST(OnnxOperators, MeanOverHeightAndWidthIsAGlobalPool) {
  const MadeAttribute axes{.name = "axes", .integers = {-1, -2}};
  EXPECT_THAT(kinds(imported(one(images(), "ReduceMean", {"x"}, {axes}))),
              ElementsAre(LayerKind::kGlobalAveragePool));
  EXPECT_THAT(error_of(one(images(), "ReduceMean", {"x"}, {{.name = "axes", .integers = {1}}})),
              HasSubstr("other axes than height and width"));
}

TEST(OnnxOperators, JoinsAddAndConcatenate) {
  ModelBytes model = images();
  model.node("Relu", {"x"}, {"a"}).node("Add", {"a", "x"}, {"b"});
  const ImportedModel joined =
      imported(one(model, "Concat", {"a", "b"}, {{.name = "axis", .integer = 1}}));
  EXPECT_THAT(kinds(joined), ElementsAre(LayerKind::kRelu, LayerKind::kAdd, LayerKind::kConcat));
  EXPECT_THAT(joined.layers[1].inputs, ElementsAre("make_a", "input"));
  EXPECT_THAT(error_of(one(model, "Concat", {"a", "b"}, {{.name = "axis", .integer = 2}})),
              HasSubstr("joins along axis 2"));
}

/// What PyTorch's exporter makes of x.view(x.size(0), -1).
ModelBytes viewed() {
  ModelBytes model = images().integers("first", {0}).integers("rest", {-1}).integers("axes", {0});
  model.node("Shape", {"x"}, {"sizes"});
  model.node("Gather", {"sizes", "first"}, {"batch"}, {{.name = "axis", .integer = 0}});
  model.node("Concat", {"batch", "rest"}, {"target"}, {{.name = "axis", .integer = 0}});
  return model;
}

TEST(OnnxOperators, SizesThatAreComputedAreFolded) {
  const ImportedModel model = imported(one(viewed(), "Reshape", {"x", "target"}));
  EXPECT_THAT(kinds(model), ElementsAre(LayerKind::kFlatten));
}

TEST(OnnxOperators, ReshapeMayOnlyFlatten) {
  EXPECT_THAT(error_of(one(images().integers("t", {0, 3, 64}), "Reshape", {"x", "t"})),
              HasSubstr("makes 1x3x64 of 1x3x8x8; only 1x192, each sample flattened"));
  EXPECT_THAT(error_of(one(images().weight("t", {400}), "Reshape", {"x", "t"})),
              HasSubstr("input 2 has to be constant numbers"));
}

TEST(OnnxOperators, SoftmaxAtTheEndIsLeftToTheLoss) {
  ModelBytes model = ModelBytes().input("x", {0, 5}).weight("w", {4, 5});
  model.node("Gemm", {"x", "w"}, {"p"}, {{.name = "transB", .integer = 1}});
  EXPECT_THAT(kinds(imported(one(model, "LogSoftmax", {"p"}, {{.name = "axis", .integer = -1}}))),
              ElementsAre(LayerKind::kLinear));
  model.node("Softmax", {"p"}, {"q"});
  EXPECT_THAT(error_of(one(model, "Relu", {"q"})), HasSubstr("is not at the end"));
}

TEST(OnnxOperators, GeluInSingleOperatorsIsOneLayer) {
  ModelBytes model = images();
  model.number("root", 1.41421356F).number("one", 1).number("half", 0.5);
  model.node("Div", {"x", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  model.node("Add", {"e", "one"}, {"s"});
  ModelBytes x_first = model, half_first = model;
  x_first.node("Mul", {"x", "s"}, {"m"});
  EXPECT_THAT(kinds(imported(one(x_first, "Mul", {"m", "half"}))), ElementsAre(LayerKind::kGelu));
  half_first.node("Mul", {"x", "half"}, {"h"});
  EXPECT_THAT(kinds(imported(one(half_first, "Mul", {"h", "s"}))), ElementsAre(LayerKind::kGelu));
  EXPECT_THAT(error_of(one(x_first, "Mul", {"m", "one"})), HasSubstr("(Div): tandem has no layer"));
}

TEST(OnnxOperators, UnknownOnesAreNamed) {
  EXPECT_THAT(error_of(one(images(), "LRN", {"x"})),
              AllOf(HasSubstr(".onnx: node 'make_y' (LRN): tandem has no layer like this operator"),
                    HasSubstr("there are Add, AveragePool, BatchNormalization")));
  EXPECT_THAT(error_of(one(images(), "GlobalMaxPool", {"x"})),
              HasSubstr("nearest by name is GlobalAveragePool"));
  ModelBytes foreign = images();
  foreign.node("Relu", {"x"}, {"y"}, {}, "com.example").output("y");
  EXPECT_THAT(error_of(foreign), HasSubstr("this operator of 'com.example'"));
}

TEST(OnnxOperators, WhatTheOutputDoesNotNeedIsLeftOut) {
  ModelBytes model = images();
  model.node("LRN", {"x"}, {"unread"});
  EXPECT_THAT(kinds(imported(one(model, "Relu", {"x"}))), ElementsAre(LayerKind::kRelu));
}

TEST(OnnxOperators, WeightsHaveToFitWhatTheyAreMultipliedWith) {
  EXPECT_THAT(error_of(one(images().weight("w", {4, 2, 3, 3}), "Conv", {"x", "w"})),
              HasSubstr("its weights are for 2 input channels, but it reads 3x8x8"));
  EXPECT_THAT(error_of(one(images().weight("w", {4, 3, 9, 9}), "Conv", {"x", "w"})),
              HasSubstr("kernel 9x9 does not fit input 3x8x8"));
  EXPECT_THAT(error_of(one(images().weight("w", {4, 3, -1, 3}), "Conv", {"x", "w"})),
              HasSubstr("has weights of 4x3x-1x3"));
  EXPECT_THAT(error_of(one(images().weight("w", {192, 4}), "MatMul", {"x", "w"})),
              HasSubstr("it needs vectors, so flatten before it"));
  EXPECT_THAT(error_of(one(images(), "Conv", {"x", "nowhere"})),
              HasSubstr("reads 'nowhere', which nothing before it makes"));
}

TEST(OnnxInput, IsTheModelsWhereTheFileLeavesItOpen) {
  const ModelBytes open = one(ModelBytes().input("x", {0, 3, 0, 0}), "Relu", {"x"});
  EXPECT_THAT(error_of(open), HasSubstr("does not say how large input 'x' is; set model.input"));
  EXPECT_EQ(imported(open, Shape{3, 32, 32}).input, (Shape{3, 32, 32}));
}

TEST(OnnxInput, HasToBeImagesOrVectors) {
  constexpr int kInt64 = 7;
  EXPECT_THAT(error_of(one(ModelBytes().input("x", {0, 16}, kInt64), "Relu", {"x"})),
              HasSubstr("input 'x' is of integers"));
  EXPECT_THAT(error_of(one(ModelBytes().input("x", {0, 16, 16}), "Relu", {"x"})),
              HasSubstr("input 'x' has 3 dimensions"));
  EXPECT_THAT(error_of(one(ModelBytes().input("x", {0, 1 << 20, 1 << 20}), "Relu", {"x"})),
              HasSubstr("3 dimensions"));
  EXPECT_THAT(error_of(one(ModelBytes().input("x", {0, 3, 1 << 20, 1 << 20}), "Relu", {"x"})),
              HasSubstr("too large"));
}

TEST(OnnxOutput, HasToBeOne) {
  EXPECT_THAT(error_of(one(images(), "Relu", {"x"}).output("x")), HasSubstr("has 2 outputs"));
  EXPECT_THAT(error_of(ModelBytes(images()).output("y")),
              HasSubstr("no node makes its output 'y'"));
}

}  // namespace
}  // namespace tandem::onnx
