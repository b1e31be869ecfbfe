// Every model of the zoo trains: a step of plain SGD along its gradients lowers the loss of the
// batch that they are of.

#include <gtest/gtest.h>

#include "core/model/zoo.h"
#include "tests/real/cpu/device_network.h"
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

struct Case {
  std::string model;
  Shape input;  ///< small, for the test is of the arithmetic, not of speed
};

class ZooTraining : public testing::TestWithParam<Case> {};

class Training {
 public:
  Training(const Case& example, int batch_size)
      : graph_(build_model(example.model, {example.input, 3})),
        parameters_(make_host_buffer(graph_.parameter_elements(), DType::kFloat32)),
        gradients_(make_host_buffer(graph_.parameter_elements(), DType::kFloat32)),
        images_(batch_size * example.input.elements()),
        network_(device_network()(graph_, batch_size, parameters_.view(), gradients_.view())) {
    initialize_parameters(graph_, 1, parameters_.view().floats());
    for (std::size_t i = 0; i < images_.size(); ++i) images_[i] = chirp(i, 0.5);
    for (int i = 0; i < batch_size; ++i) labels_.push_back(i % 3);
  }

  /// The same dropout each time, so that losses can be compared.
  double loss() {
    network_->load({images_, labels_}, Mode::kTraining, 7);
    for (int i = 1; i < layers(); ++i) network_->forward(i);
    return network_->loss();
  }

  /// Moves along the gradients of the last pass, so far that the loss falls by `fall` if it is as
  /// steep all the way.
  void step(double fall) {
    for (int i = layers() - 1; i > 0; --i) network_->backward(i);
    double squares = 0;
    for (const float g : gradients_.view().floats()) squares += double(g) * g;
    const auto rate = static_cast<float>(fall / squares);
    for (std::size_t i = 0; i < graph_.parameter_elements(); ++i) {
      parameters_.view().floats()[i] -= rate * gradients_.view().floats()[i];
    }
  }

 private:
  int layers() const { return static_cast<int>(graph_.layers().size()); }

  LayerGraph graph_;
  Buffer parameters_, gradients_;
  std::vector<float> images_;
  std::vector<std::int32_t> labels_;
  std::unique_ptr<Network> network_;
};

TEST_P(ZooTraining, AStepAlongTheGradientsLowersTheLoss) {
  constexpr double kMostRounding = 1e-5;
  if (GetParam().model == "resnet152" && device_rounding() > kMostRounding)
    GTEST_SKIP() << "this device rounds by so much that 152 normalised layers make more of it than "
                    "of the step";
  Training training(GetParam(), 4);
  const double before = training.loss();
  // So short since 152 layers bend soon; of a shorter one float32 weights, whose steps are short
  // where gradients are large, keep but a part. On images of 32x32, where the last of those layers
  // normalise four numbers, what they round differs by more than that from processor to processor.
  training.step(0.005 * before);
  EXPECT_LT(training.loss(), before);
}

INSTANTIATE_TEST_SUITE_P(
    , ZooTraining,
    testing::Values(Case{"alexnet", {3, 64, 64}}, Case{"cifar10_cnn", {3, 32, 32}},
                    Case{"inception_v3", {3, 75, 75}}, Case{"mnist_cnn", {1, 28, 28}},
                    Case{"mobilenet_v2", {3, 32, 32}}, Case{"resnet152", {3, 64, 64}},
                    Case{"resnet50", {3, 32, 32}}, Case{"sdss_dnn", {9, 1, 1}},
                    Case{"vgg16", {3, 32, 32}}, Case{"vgg19", {3, 32, 32}},
                    Case{"resnet50", {3, 224, 224}}, Case{"mobilenet_v2", {3, 224, 224}}),
    [](const auto& info) {
      return info.param.model + "_" + std::to_string(info.param.input.height);
    });

}  // namespace
}  // namespace tandem
