// Graphs as PyTorch's exporters write them (make_models.py), held against the zoo and against what
// is published.

#include <gmock/gmock.h>

#include <tuple>

#include "core/interchange/onnx/import.h"
#include "core/model/custom.h"
#include "core/model/zoo.h"

namespace tandem::onnx {
namespace {

LayerGraph imported(const std::string& file) {
  const auto path =
      std::filesystem::path(TANDEM_CORE_TEST_FOLDER) / "interchange/onnx/models" / (file + ".onnx");
  const ImportedModel model = import_model(path);
  return build_custom_model(file, model.input, model.layers);
}

/// What tells layers apart that do the same in whatever order and by whatever name; flattening is
/// another name for the same memory.
std::vector<std::tuple<std::string, std::string, std::size_t, double, double>> figures(
    const LayerGraph& graph) {
  std::vector<std::tuple<std::string, std::string, std::size_t, double, double>> all;
  for (const Layer& layer : graph.layers()) {
    if (layer.kind == LayerKind::kFlatten) continue;
    all.emplace_back(to_string(layer.kind), to_string(layer.output), layer.parameter_elements,
                     layer.forward_flops, layer.backward_flops);
  }
  std::ranges::sort(all);
  return all;
}

struct Twin {
  std::string file, zoo;
};

class Twins : public testing::TestWithParam<Twin> {};

TEST_P(Twins, AreTheZoosLayerByLayer) {
  const LayerGraph graph = imported(GetParam().file);
  const LayerGraph zoo = build_model(GetParam().zoo);
  EXPECT_EQ(graph.parameter_elements(), zoo.parameter_elements());
  EXPECT_EQ(graph.multiply_adds(), zoo.multiply_adds());
  EXPECT_EQ(graph.forward_flops(), zoo.forward_flops());
  EXPECT_EQ(graph.backward_flops(), zoo.backward_flops());
  EXPECT_EQ(graph.checkpoint_bytes(), zoo.checkpoint_bytes());
  EXPECT_EQ(figures(graph), figures(zoo));
}

INSTANTIATE_TEST_SUITE_P(, Twins,
                         testing::Values(Twin{"resnet50_v1", "resnet50"},
                                         Twin{"mobilenet_v2", "mobilenet_v2"},
                                         Twin{"vgg16", "vgg16"}, Twin{"mnist_cnn", "mnist_cnn"}),
                         [](const auto& info) { return info.param.file; });

struct Published {
  std::string file;
  std::size_t parameters;
  double multiply_adds;  ///< to three digits
};

class PublishedModels : public testing::TestWithParam<Published> {};

// torchvision's documentation has these figures. Its ResNet-50 strides in the second convolution of
// a block, which the zoo's does in the first, so that it computes more.
TEST_P(PublishedModels, HaveTheirParametersAndMultiplyAdds) {
  const LayerGraph graph = imported(GetParam().file);
  EXPECT_EQ(graph.parameter_elements(), GetParam().parameters);
  EXPECT_NEAR(graph.multiply_adds() / GetParam().multiply_adds, 1, 0.005);
}

INSTANTIATE_TEST_SUITE_P(, PublishedModels,
                         testing::Values(Published{"resnet50", 25'557'032, 4.09e9},
                                         Published{"resnet50_dynamo", 25'557'032, 4.09e9},
                                         Published{"alexnet_dynamo", 61'100'840, 0.714e9},
                                         Published{"mobilenet_v2_dynamo", 3'504'872, 0.301e9},
                                         Published{"squeezenet", 1'235'496, 0.349e9}),
                         [](const auto& info) { return info.param.file; });

// Each of 53 batch norms had a scale and a shift a channel; folded, its convolution has a bias.
TEST(FoldedModel, HasBiasesInsteadOfBatchNorms) {
  constexpr std::size_t kChannels = 26'560;
  const LayerGraph folded = imported("resnet50_folded");
  EXPECT_EQ(folded.parameter_elements(), 25'557'032 - 2 * kChannels + kChannels);
  EXPECT_TRUE(std::ranges::none_of(
      folded.layers(), [](const Layer& layer) { return layer.kind == LayerKind::kBatchNorm; }));
}

TEST(VectorModel, IsAPerceptronWithGelu) {
  const LayerGraph graph = imported("gelu_perceptron");
  EXPECT_EQ(graph.input(), (Shape{9, 1, 1}));
  EXPECT_EQ(graph.parameter_elements(), 9U * 32 + 32 + 32 * 3 + 3);
  EXPECT_EQ(graph.layers()[2].kind, LayerKind::kGelu);
  EXPECT_EQ(graph.layers().size(), 5U);
}

}  // namespace
}  // namespace tandem::onnx
