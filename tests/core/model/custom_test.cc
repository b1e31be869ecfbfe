#include "core/model/custom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

LayerSpec spec(std::string name, LayerKind kind, int outputs = 0,
               std::vector<std::string> inputs = {}) {
  LayerSpec layer{std::move(name), kind, {}, std::move(inputs)};
  layer.options.outputs = outputs;
  return layer;
}

TEST(CustomModel, ReadsTheLayerBeforeUnlessNamed) {
  const LayerGraph graph = build_custom_model(
      "mine", {2, 3, 3},
      {spec("conv", LayerKind::kConvolution, 2), spec("relu", LayerKind::kRelu),
       spec("sum", LayerKind::kAdd, 0, {"relu", "input"}), spec("fc", LayerKind::kLinear, 4)});
  const auto layers = graph.layers();
  EXPECT_EQ(layers[2].inputs, std::vector<int>{1});
  EXPECT_EQ(layers[3].inputs, (std::vector<int>{2, 0}));
  ASSERT_EQ(layers.size(), 6u);
  EXPECT_EQ(layers[5].kind, LayerKind::kSoftmaxLoss);
  EXPECT_EQ(graph.classes(), 4);
}

TEST(CustomModel, KeepsALossOfItsOwn) {
  const LayerGraph graph = build_custom_model(
      "mine", {2, 1, 1}, {spec("fc", LayerKind::kLinear, 4), spec("end", LayerKind::kSoftmaxLoss)});
  EXPECT_EQ(graph.layers().size(), 3u);
  EXPECT_EQ(graph.layers()[2].name, "end");
}

TEST(CustomModel, NamesTheNearestInput) {
  try {
    build_custom_model(
        "mine", {2, 1, 1},
        {spec("hidden", LayerKind::kLinear, 4), spec("out", LayerKind::kLinear, 2, {"hiden"})});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("layer 'out'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("'hiden'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'hidden'?"));
  }
}

// Sides and sums of them, parameters and elements have to be numbers of their types.
TEST(CustomModel, RefusesWhatNoNumberHolds) {
  constexpr int kLarge = 1'000'000'000;
  const auto error_of = [](Shape input, const std::vector<LayerSpec>& layers) -> std::string {
    try {
      build_custom_model("mine", input, layers);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  LayerSpec window = spec("window", LayerKind::kConvolution, 1);
  window.options.padding_height = window.options.padding_width = kLarge;
  EXPECT_THAT(error_of({1, kLarge, 1}, {window}), testing::HasSubstr("has a side of 3000000000"));
  window.kind = LayerKind::kMaxPool;
  window.options.kernel_height = window.options.kernel_width = kLarge;
  EXPECT_THAT(error_of({1, 1, 1}, {window}), testing::HasSubstr("is more than half of kernel"));
  window.kind = LayerKind::kConvolution;
  window.options.outputs = kLarge;
  EXPECT_THAT(error_of({kLarge, 1, 1}, {window}), testing::HasSubstr("1e+36 weights"));
  EXPECT_THAT(error_of({1, kLarge, kLarge}, {spec("a", LayerKind::kFlatten)}),
              testing::HasSubstr("a sample can have 2147483647 elements at most"));
  const std::vector<LayerSpec> wide = {
      spec("a", LayerKind::kConcat, 0, {"input", "input", "input"})};
  EXPECT_THAT(error_of({kLarge, 1, 1}, wide), testing::HasSubstr("has a side of 3000000000"));
  LayerSpec heads = spec("heads", LayerKind::kAttention);
  heads.options.heads = kLarge;
  EXPECT_THAT(error_of({1, 4, 4}, {heads}), testing::HasSubstr("a multiple of 3000000000"));
  EXPECT_THAT(error_of({kLarge, 1, 1}, {spec("a", LayerKind::kLinear, kLarge)}),
              testing::HasSubstr("1e+18 parameters"));
}

TEST(ModelOfAScenario, IsOfTheZooOrItsOwn) {
  EXPECT_EQ(build_model(ModelSpec{"resnet50", Shape{1, 28, 28}, 10, {}}).classes(), 10);
  const std::vector<LayerSpec> layers = {spec("fc", LayerKind::kLinear, 4)};
  EXPECT_EQ(build_model(ModelSpec{"mine", Shape{2, 1, 1}, {}, layers}).parameter_elements(), 12u);
  EXPECT_THROW(build_model(ModelSpec{"mine", {}, {}, layers}), InputError);
  EXPECT_THROW(build_model(ModelSpec{"mine", Shape{2, 1, 1}, 5, layers}), InputError);
  EXPECT_THROW(build_custom_model("mine", {2, 1, 1}, {}), InputError);
}

}  // namespace
}  // namespace tandem
