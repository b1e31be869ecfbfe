#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/model/custom.h"
#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

std::string with_layers(const std::string& layers) {
  return "batch_size: 2\niterations: 1\nmodel:\n  name: mine\n  input: [1, 28, 28]\n  layers:\n" +
         layers;
}

TEST(OwnModel, IsReadLayerByLayer) {
  const ModelSpec model =
      load_text(with_layers("  - {kind: convolution, name: stem, outputs: 8, kernel: [5, 3], "
                            "stride: 2, padding: [2, 1], bias: false}\n"
                            "  - {kind: max_pool, kernel: 2}\n"
                            "  - {kind: dropout, probability: 0.25}\n"
                            "  - {kind: linear, outputs: 10, inputs: dropout3}\n"))
          .points.at(0)
          .model;
  ASSERT_EQ(model.layers.size(), 4U);
  const LayerOptions& stem = model.layers[0].options;
  EXPECT_EQ(stem.outputs, 8);
  EXPECT_EQ(stem.kernel_height, 5);
  EXPECT_EQ(stem.kernel_width, 3);
  EXPECT_EQ(stem.stride_width, 2);
  EXPECT_EQ(stem.padding_height, 2);
  EXPECT_FALSE(stem.bias);
  EXPECT_EQ(model.layers[1].options.stride_height, 2);  // a pool steps by its own size
  EXPECT_EQ(model.layers[1].name, "max_pool2");
  EXPECT_EQ(model.layers[3].inputs, std::vector<std::string>{"dropout3"});
  EXPECT_EQ(build_model(model).classes(), 10);
}

std::string with_gpt(const std::string& keys) {
  return "batch_size: 2\niterations: 1\nmodel: {name: gpt" + keys + "}\n";
}

TEST(Gpt, IsReadAndComesBackFromJson) {
  const Scenario scenario =
      load_text(with_gpt(", layers: 4, width: 128, heads: 8, vocabulary: 96, sequence: 64"))
          .points.at(0);
  EXPECT_EQ(scenario.model.transformer.layers, 4);
  EXPECT_EQ(scenario.model.transformer.width, 128);
  EXPECT_EQ(scenario.model.transformer.heads, 8);
  EXPECT_EQ(scenario.model.transformer.vocabulary, 96);
  EXPECT_EQ(scenario.model.transformer.sequence, 64);
  const std::string text = to_json(scenario).dump();
  EXPECT_EQ(to_json(load_text(text).points.at(0)).dump(), text);
}

TEST(Gpt, IsGpt2SmallUnlessToldOtherwise) {
  const std::string text = "batch_size: 2\niterations: 1\nmodel: gpt\n";
  EXPECT_EQ(build_model(load_text(text).points.at(0).model).parameter_elements(), 163'037'184U);
}

TEST(Gpt, SaysWhatWouldBeRight) {
  EXPECT_EQ(error_of(with_gpt(", width: 100, heads: 12")),
            "FILE:3:8: model 'gpt': width is 100, heads is 12; width must be a multiple of heads");
  EXPECT_EQ(error_of(with_gpt(", layers: 0")),
            "FILE:3:28: model.layers is '0', but has to be a whole number of at least 1");
  EXPECT_EQ(error_of(with_gpt(", sequnce: 64")),
            "FILE:3:20: unknown key 'sequnce' in model; did you mean 'sequence'?");
  EXPECT_EQ(error_of(with_gpt(", classes: 10")),
            "FILE:3:20: unknown key 'classes' in model; known: name, layers, width, heads, "
            "vocabulary, sequence");
}

TEST(OwnModel, MayBeMadeOfATransformersLayers) {
  const std::string text =
      "batch_size: 2\niterations: 1\nmodel:\n  name: mine\n  input: [1, 8, 1]\n  layers:\n"
      "  - {kind: embedding, vocabulary: 20, outputs: 6}\n"
      "  - {kind: layer_norm, epsilon: 0.001}\n"
      "  - {kind: linear, outputs: 18, each_row: true}\n"
      "  - {kind: attention, heads: 3}\n"
      "  - {kind: gelu}\n"
      "  - {kind: linear, outputs: 20, each_row: true}\n";
  const Scenario scenario = load_text(text).points.at(0);
  const LayerGraph graph = build_model(scenario.model);
  EXPECT_EQ(graph.vocabulary(), 20);
  EXPECT_EQ(graph.labels(), 8);
  EXPECT_EQ(graph.layers()[2].options.epsilon, 0.001);
  EXPECT_EQ(graph.layers()[4].options.heads, 3);
  const std::string json = to_json(scenario).dump();
  EXPECT_EQ(to_json(load_text(json).points.at(0)).dump(), json);
}

struct WrongLayer {
  std::string name;
  std::string layers;
  std::string error;
};
class LayerMistakes : public testing::TestWithParam<WrongLayer> {};

TEST_P(LayerMistakes, NameTheirPlace) {
  EXPECT_THAT(error_of(with_layers(GetParam().layers)), testing::StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    , LayerMistakes,
    testing::Values(
        WrongLayer{"kind", "  - {kind: convolutoin, outputs: 1}\n",
                   "FILE:7:12: there is no layer kind 'convolutoin'; did you mean 'convolution'?"},
        WrongLayer{"no_kind", "  - {outputs: 1}\n",
                   "FILE:7:5: layer 1 has no kind; give one, such as 'kind: linear'"},
        WrongLayer{
            "no_outputs", "  - {kind: linear}\n",
            "FILE:7:5: layer 1 (linear).outputs is missing; give one, such as 'outputs: 10'"},
        WrongLayer{"foreign_option", "  - {kind: relu, outputs: 3}\n",
                   "FILE:7:18: unknown key 'outputs' in layer 1 (relu); did you mean "},
        WrongLayer{"same_name", "  - {kind: relu, name: a}\n  - {kind: relu, name: a}\n",
                   "FILE:8:5: two layers are called 'a'; give each its own name"},
        WrongLayer{"unknown_input", "  - {kind: relu, name: a, inputs: b}\n",
                   "FILE:4:3: model 'mine', layer 'a': no layer before it is called 'b'"},
        WrongLayer{"no_list", "    {kind: relu}\n",
                   "FILE:7:5: model.layers is a map, but has to be a list of layers, such as "}),
    [](const auto& info) { return info.param.name; });

TEST(OwnModel, NeedsAnInputOfThreeSides) {
  EXPECT_EQ(error_of("batch_size: 2\niterations: 1\nmodel: {name: a, layers: [{kind: relu}]}\n"),
            "FILE:3:8: model.input is missing; give one, such as 'input: [1, 28, 28]'");
  EXPECT_EQ(error_of("batch_size: 2\niterations: 1\nmodel: {name: vgg16, input: 28}\n"),
            "FILE:3:29: model.input is '28', but has to be [channels, height, width], such as [1, "
            "28, 28]");
}

}  // namespace
}  // namespace tandem
