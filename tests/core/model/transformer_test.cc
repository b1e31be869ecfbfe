// The transformer's figures against those that papers state, and what its kinds of layers refuse.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/analytic_times.h"
#include "core/model/layer_costs.h"
#include "core/model/memory.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

LayerGraph gpt(const TransformerShape& shape) {
  return build_model("gpt", {.input = {}, .classes = {}, .transformer = shape});
}

TEST(Transformer, HasAWidthWhoseMultiplesAreNumbers) {
  EXPECT_THROW(gpt({.layers = 1, .width = 1'000'000'000, .heads = 1}), InputError);
}

// Comparing each layer's name with all others' took minutes.
TEST(Transformer, OfThousandsOfLayersIsMadeQuickly) {
  EXPECT_EQ(gpt({.layers = 10'000, .width = 8, .heads = 1}).layers().size(), 100'005U);
}

struct PublishedSize {
  const char* name;
  TransformerShape shape;
  std::size_t parameters;  ///< of the checkpoint, whose head shares the embedding's weights
};

const PublishedSize kPublished[] = {
    {"small", {.layers = 12, .width = 768, .heads = 12}, 124'439'808},
    {"medium", {.layers = 24, .width = 1024, .heads = 16}, 354'823'168},
    {"large", {.layers = 36, .width = 1280, .heads = 20}, 774'030'080},
    {"xl", {.layers = 48, .width = 1600, .heads = 25}, 1'557'611'200},
};

class Gpt2 : public testing::TestWithParam<PublishedSize> {};

TEST_P(Gpt2, HasThePublishedParametersAndAHeadOfItsOwn) {
  const TransformerShape& shape = GetParam().shape;
  const std::size_t head = std::size_t(shape.vocabulary) * shape.width;
  EXPECT_EQ(gpt(shape).parameter_elements(), GetParam().parameters + head);
}

// Narayanan et al., "Efficient large-scale language model training on GPU clusters using
// Megatron-LM", SC21, section 5: 96 B s l h^2 (1 + s / 6h + V / 16lh) FLOPs an iteration with all
// activations of a layer recomputed. A forward pass less for the layers, that is 72 B s l h^2 (1 +
// s / 6h + V / 12lh).
TEST_P(Gpt2, TakesThePublishedFlops) {
  const TransformerShape& shape = GetParam().shape;
  const double s = shape.sequence, l = shape.layers, h = shape.width, V = shape.vocabulary;
  const double iteration = 72 * s * l * h * h * (1 + s / (6 * h) + V / (12 * l * h));
  const LayerGraph graph = gpt(shape);
  EXPECT_DOUBLE_EQ(3 * 2 * graph.multiply_adds(), iteration);
  // What else there is takes no matrix products.
  const double all = graph.forward_flops() + graph.backward_flops();
  EXPECT_GT(all, iteration);
  EXPECT_LT(all, 1.02 * iteration);
}

// Kaplan et al., "Scaling laws for neural language models", 2020, table 1: a token takes two FLOPs
// for each parameter in the blocks, of which there are 12 l h^2, and attention.
TEST_P(Gpt2, TakesTwoFlopsAParameterAndToken) {
  const TransformerShape& shape = GetParam().shape;
  const LayerGraph graph = gpt(shape);
  double products = 0;
  for (const Layer& layer : graph.layers()) {
    if (layer.kind == LayerKind::kLinear && layer.name != "head") products += multiply_adds(layer);
  }
  const double parameters = 12.0 * shape.layers * shape.width * shape.width;
  EXPECT_DOUBLE_EQ(products / shape.sequence, parameters);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Gpt2, testing::ValuesIn(kPublished),
                         [](const auto& info) { return std::string(info.param.name); });

// A block keeps the outputs of both norms, qkv, attention, projection, both sums, fc1, GELU and
// fc2, and attention's scores.
TEST(Transformer, ABlockKeepsItsActivations) {
  TransformerShape shape{.layers = 3, .width = 32, .heads = 4, .vocabulary = 96, .sequence = 16};
  const double three = activation_bytes(gpt(shape), 2);
  shape.layers = 4;
  const double s = shape.sequence, h = shape.width, a = shape.heads;
  EXPECT_EQ(activation_bytes(gpt(shape), 2) - three, 2 * 4 * s * (18 * h + a * s));
}

TEST(Transformer, AttentionIsAsEfficientAsLinearLayersUnlessAProfileSaysMore) {
  DeviceProfile profile;
  profile.peak_flops = 1e12;
  profile.memory_bandwidth = 1e15;
  profile.efficiency = {{LayerKind::kLinear, 0.5}};
  Kernel kernel;
  kernel.flops = 1e12;
  EXPECT_EQ(analytic_time(profile, LayerKind::kAttention, kernel), 2);
  profile.efficiency[LayerKind::kAttention] = 0.25;
  EXPECT_EQ(analytic_time(profile, LayerKind::kAttention, kernel), 4);
}

TEST(Transformer, KnowsWhatASampleIs) {
  const LayerGraph graph =
      gpt({.layers = 1, .width = 8, .heads = 2, .vocabulary = 96, .sequence = 5});
  EXPECT_EQ(graph.input(), (Shape{1, 5, 1}));
  EXPECT_EQ(graph.classes(), 96);
  EXPECT_EQ(graph.labels(), 5);
  EXPECT_EQ(graph.vocabulary(), 96);
  EXPECT_EQ(build_model("mnist_cnn").labels(), 1);
  EXPECT_EQ(build_model("mnist_cnn").vocabulary(), 0);
}

struct Mistake {
  std::string name;
  Shape input;
  LayerKind kind;
  LayerOptions options;
  std::string error;
};

class TransformerMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(TransformerMistakes, SayWhatWouldBeRight) {
  LayerGraph graph("model", GetParam().input);
  try {
    graph.add("layer", GetParam().kind, GetParam().options, {0});
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam().error));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , TransformerMistakes,
    testing::Values(
        Mistake{"heads",
                {1, 4, 12},
                LayerKind::kAttention,
                {.heads = 3},
                "each of 3 heads, not 1x4x12; the last number must be a multiple of 9"},
        Mistake{"attention_of_an_image", {3, 4, 12}, LayerKind::kAttention, {}, "takes a sequence"},
        Mistake{"no_tokens",
                {1, 4, 2},
                LayerKind::kEmbedding,
                {.outputs = 8, .vocabulary = 9},
                "takes tokens, 1 x positions x 1, not 1x4x2"},
        Mistake{"vocabulary",
                {1, 4, 1},
                LayerKind::kEmbedding,
                {.outputs = 8, .vocabulary = 1 << 25},
                "vocabulary is 33554432; it must be from 1 to 2^24"},
        Mistake{"norm_of_an_image",
                {3, 4, 4},
                LayerKind::kLayerNorm,
                {},
                "takes a vector, or a sequence"},
        Mistake{"rows_of_an_image",
                {3, 4, 4},
                LayerKind::kLinear,
                {.outputs = 2, .each_row = true},
                "takes a vector, or a sequence"}),
    [](const auto& info) { return info.param.name; });

TEST(Transformer, EmbedsTheInputOnly) {
  LayerGraph graph("model", {1, 4, 1});
  const int gelu = graph.add("gelu", LayerKind::kGelu, {}, {0});
  EXPECT_THROW(
      graph.add("embedding", LayerKind::kEmbedding, {.outputs = 8, .vocabulary = 9}, {gelu}),
      InputError);
}

}  // namespace
}  // namespace tandem
