#include <gmock/gmock.h>

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

struct Mistake {
  std::string name;
  std::string layers;
  std::string error;
};
class LayerMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(LayerMistakes, NameTheirPlace) {
  EXPECT_THAT(error_of(with_layers(GetParam().layers)), testing::StartsWith(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    , LayerMistakes,
    testing::Values(
        Mistake{"kind", "  - {kind: convolutoin, outputs: 1}\n",
                "FILE:7:12: there is no layer kind 'convolutoin'; did you mean 'convolution'?"},
        Mistake{"no_kind", "  - {outputs: 1}\n",
                "FILE:7:5: layer 1 has no kind; give one, such as 'kind: linear'"},
        Mistake{"no_outputs", "  - {kind: linear}\n",
                "FILE:7:5: layer 1 (linear).outputs is missing; give one, such as 'outputs: 10'"},
        Mistake{"foreign_option", "  - {kind: relu, outputs: 3}\n",
                "FILE:7:18: unknown key 'outputs' in layer 1 (relu); did you mean "},
        Mistake{"same_name", "  - {kind: relu, name: a}\n  - {kind: relu, name: a}\n",
                "FILE:8:5: two layers are called 'a'; give each its own name"},
        Mistake{"unknown_input", "  - {kind: relu, name: a, inputs: b}\n",
                "FILE:4:3: model 'mine', layer 'a': no layer before it is called 'b'"},
        Mistake{"no_list", "    {kind: relu}\n",
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
