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
