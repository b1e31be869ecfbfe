#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/model/custom.h"
#include "tests/core/scenario/files.h"

namespace tandem {
namespace {

using testing::HasSubstr;

const std::string kModels = TANDEM_CORE_TEST_FOLDER "/interchange/onnx/models/";

std::string with_model(const std::string& model) {
  return "batch_size: 2\niterations: 1\nmodel: " + model + "\n";
}

ModelSpec model_of(const std::string& model) {
  return load_text(with_model(model)).points.at(0).model;
}

TEST(OnnxModel, IsCalledAsItsFile) {
  const ModelSpec model = model_of(kModels + "mnist_cnn.onnx");
  EXPECT_EQ(model.name, "mnist_cnn");
  EXPECT_EQ(model.input, (Shape{1, 28, 28}));
  EXPECT_EQ(build_model(model).classes(), 10);
}

TEST(OnnxModel, MayHaveAnotherNameAndInput) {
  const ModelSpec model =
      model_of("{onnx: " + kModels + "mobilenet_v2.onnx, name: small, input: [3, 96, 96]}");
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(build_model(model).input(), (Shape{3, 96, 96}));
  EXPECT_EQ(build_model(model).parameter_elements(), 3'504'872U);
}

TEST(OnnxModel, ComesBackFromJsonAsItsLayers) {
  const Scenario scenario = load_text(with_model(kModels + "resnet50.onnx")).points.at(0);
  const std::string json = to_json(scenario).dump();
  EXPECT_EQ(json.find(".onnx"), std::string::npos);
  const Scenario again = load_text(json).points.at(0);
  EXPECT_EQ(to_json(again).dump(), json);
  EXPECT_EQ(build_model(again.model).multiply_adds(), build_model(scenario.model).multiply_adds());
}

TEST(OnnxModel, ErrorsSayWhere) {
  EXPECT_EQ(error_of(with_model("nowhere.onnx")), "FILE:3:8: nowhere.onnx: there is no such file");
  EXPECT_THAT(error_of(with_model("{onnx: " + kModels + "mnist_cnn.onnx, classes: 11}")),
              HasSubstr("its last layer has 10 outputs, but classes is 11"));
  EXPECT_THAT(error_of(with_model("{onnx: " + kModels + "vgg16.onnx, input: [3, 64, 64]}")),
              HasSubstr("its weights are for 25088 features, but it reads 2048"));
  EXPECT_THAT(error_of(with_model("{onnx: a.onnx, layers: 3}")), HasSubstr("unknown key"));
}

}  // namespace
}  // namespace tandem
