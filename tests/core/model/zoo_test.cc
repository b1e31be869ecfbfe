#include "core/model/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"

namespace tandem {
namespace {

// Table 3.1 of "Comparison of distributed training architecture for CNN in cloud" (2019): size in
// MiB of float32, and billions of multiply-adds a forward pass of one image.
struct Published {
  const char* model;
  double size_mb, gflops;
};

class PublishedModel : public testing::TestWithParam<Published> {};

TEST_P(PublishedModel, SizeAndFlopsAreAsPublished) {
  const LayerGraph graph = build_model(GetParam().model);
  EXPECT_EQ(std::round(static_cast<double>(graph.checkpoint_bytes()) / (1 << 20)),
            GetParam().size_mb);
  EXPECT_NEAR(std::round(graph.multiply_adds() / 1e8) / 10, GetParam().gflops, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Table31, PublishedModel,
                         testing::Values(Published{"alexnet", 233, 0.7},
                                         Published{"vgg16", 528, 15.5},
                                         Published{"vgg19", 548, 19.6},
                                         Published{"resnet50", 98, 3.9},
                                         Published{"resnet152", 230, 11.3}),
                         [](const auto& info) { return std::string(info.param.model); });

TEST(Zoo, ParameterCountsAreThePublishedOnes) {
  const std::map<std::string, std::size_t> counts = {
      {"alexnet", 61'100'840},      {"cifar10_cnn", 62'006},  {"gpt", 163'037'184},
      {"inception_v3", 23'834'568}, {"mnist_cnn", 21'840},    {"mobilenet_v2", 3'504'872},
      {"resnet152", 60'192'808},    {"resnet50", 25'557'032}, {"sdss_dnn", 43'907},
      {"vgg16", 138'357'544},       {"vgg19", 143'667'240}};
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(name);
  EXPECT_EQ(model_names(), names) << "all of them, sorted";
  for (const auto& [name, count] : counts) {
    EXPECT_EQ(build_model(name).parameter_elements(), count) << name;
  }
}

TEST(Zoo, MultiplyAddsOfTheOthersAreThePublishedOnes) {
  EXPECT_NEAR(build_model("inception_v3").multiply_adds(), 5.71e9, 0.01e9);
  EXPECT_NEAR(build_model("mobilenet_v2").multiply_adds(), 300e6, 1e6);
  EXPECT_NEAR(build_model("resnet50").multiply_adds(), 3.86e9, 0.01e9);
}

TEST(Zoo, MnistCnnHasTheKnownLayers) {
  const LayerGraph graph = build_model("mnist_cnn");
  std::map<std::string, std::size_t> parameters;
  for (const Layer& layer : graph.layers()) {
    if (layer.parameter_elements > 0) parameters[layer.name] = layer.parameter_elements;
  }
  EXPECT_EQ(parameters, (std::map<std::string, std::size_t>{
                            {"conv1", 260}, {"conv2", 5'020}, {"fc1", 16'050}, {"fc2", 510}}));
  EXPECT_EQ(graph.input(), (Shape{1, 28, 28}));
  EXPECT_EQ(graph.classes(), 10);
}

TEST(Zoo, BuildsOtherShapes) {
  const ModelShape mnist{Shape{1, 28, 28}, 10};
  for (const char* name : {"resnet50", "resnet152", "mobilenet_v2", "mnist_cnn"}) {
    const LayerGraph graph = build_model(name, mnist);
    EXPECT_EQ(graph.input(), (Shape{1, 28, 28})) << name;
    EXPECT_EQ(graph.classes(), 10) << name;
  }
  EXPECT_EQ(build_model("vgg16", {Shape{3, 32, 32}, 10}).classes(), 10);
}

// The least extent that messages state is the true one: the model builds there, and one less fails.
TEST(Zoo, SaysTheLeastInput) {
  const std::map<std::string, int> least = {{"alexnet", 63},      {"cifar10_cnn", 16},
                                            {"inception_v3", 75}, {"mnist_cnn", 16},
                                            {"vgg16", 32},        {"vgg19", 32}};
  for (const auto& [name, extent] : least) {
    const int channels = build_model(name).input().channels;
    EXPECT_NO_THROW(build_model(name, {Shape{channels, extent, extent}, {}})) << name;
    try {
      build_model(name, {Shape{channels, extent, extent - 1}, {}});
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("at least " + std::to_string(extent)));
    }
  }
  for (const char* name : {"resnet50", "mobilenet_v2"}) {
    EXPECT_NO_THROW(build_model(name, {Shape{1, 1, 1}, 2})) << name;
  }
}

TEST(Zoo, RefusesUnknownModelsAndNoClasses) {
  EXPECT_THROW(build_model("resnet51"), InputError);
  EXPECT_THROW(build_model("resnet50", {{}, 0}), InputError);
}

TEST(InitialParameters, AreTheSameEverywhere) {
  const LayerGraph graph = build_model("mnist_cnn");
  std::vector<float> values(graph.parameter_elements()), again(values), other(values);
  initialize_parameters(graph, 7, values);
  initialize_parameters(graph, 7, again);
  initialize_parameters(graph, 8, other);
  EXPECT_EQ(values, again);
  EXPECT_NE(values, other);
}

TEST(InitialParameters, AreUniformWithinTheFanIn) {
  const LayerGraph graph = build_model("mnist_cnn");
  std::vector<float> values(graph.parameter_elements());
  initialize_parameters(graph, 1, values);
  for (const Layer& layer : graph.layers()) {
    for (const ParameterTensor& tensor : layer.parameters) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
      const auto end = begin + static_cast<std::ptrdiff_t>(tensor.elements);
      const float bound = 1 / std::sqrt(static_cast<float>(tensor.fan_in));
      EXPECT_GE(*std::min_element(begin, end), -bound);
      EXPECT_LE(*std::max_element(begin, end), bound);
      if (tensor.elements < 200) continue;
      double squares = 0;
      for (auto value = begin; value != end; ++value) squares += double(*value) * *value;
      EXPECT_NEAR(squares / static_cast<double>(tensor.elements), bound * bound / 3,
                  bound * bound / 20);
    }
  }
}

TEST(InitialParameters, ScaleBatchNormByOne) {
  const LayerGraph graph = build_model("resnet50", {Shape{1, 28, 28}, 10});
  std::vector<float> values(graph.parameter_elements(), -1);
  initialize_parameters(graph, 1, values);
  const auto norm = std::find_if(graph.layers().begin(), graph.layers().end(),
                                 [](const Layer& l) { return l.kind == LayerKind::kBatchNorm; });
  EXPECT_EQ(values[norm->parameters[0].offset], 1);
  EXPECT_EQ(values[norm->parameters[1].offset], 0);
}

}  // namespace
}  // namespace tandem
