#include "core/model/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/model/zoo.h"

namespace tandem {
namespace {

/// Half a unit of the last digit that a published figure has.
double rounding(const std::string& figure) {
  const std::size_t point = figure.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : figure.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

TEST(ZeroMemory, AgreesWithThePaperToRounding) {
  std::ifstream file(TANDEM_CORE_TEST_FOLDER "/model/zero_memory.csv");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || std::isdigit(static_cast<unsigned char>(line[0])) == 0) continue;
    ++rows;
    std::stringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    const int workers = std::stoi(cell);
    for (const int stage : {1, 2, 3}) {
      std::getline(cells, cell, ',');
      const double predicted =
          zero_model_states(7.5e9, kMixedPrecisionAdam, stage, workers).model_states() / 1e9;
      EXPECT_NEAR(predicted, std::stod(cell), rounding(cell) + 1e-9)
          << "stage " << stage << " of " << workers;
    }
  }
  EXPECT_EQ(rows, 6);
}

TEST(ZeroMemory, OfStageZeroShardsNothing) {
  const MemoryUse use = zero_model_states(1000, {4, 4, 8}, 0, 16);
  EXPECT_EQ(use.parameters, 4000);
  EXPECT_EQ(use.gradients, 4000);
  EXPECT_EQ(use.optimizer_state, 8000);
}

TEST(Activations, AreOutputsAndTheMostGradientsAtOnce) {
  LayerGraph graph("small", {1, 4, 4});
  const int hidden = graph.add("fc1", LayerKind::kLinear, {.outputs = 100}, {0});
  const int active = graph.add("relu", LayerKind::kRelu, {}, {hidden});
  const int out = graph.add("fc2", LayerKind::kLinear, {.outputs = 10}, {active});
  const int loss = graph.add("loss", LayerKind::kSoftmaxLoss, {}, {out});
  const double outputs =
      16 + 100 + 10 + static_cast<double>(graph.layers()[loss].output.elements());
  // ReLU works in the place of fc1's output, forward and backward; while fc2 goes backward, there
  // are gradients by its output and by its input.
  EXPECT_EQ(activation_bytes(graph, 1), 4 * (outputs + 100 + 10));
  EXPECT_EQ(activation_bytes(graph, 8), 8 * activation_bytes(graph, 1));
}

TEST(Activations, OfAResidualBlockKeepWhatIsReadTwice) {
  LayerGraph graph("block", {4, 1, 1});
  const int first = graph.add("fc1", LayerKind::kLinear, {.outputs = 4}, {0});
  const int active = graph.add("relu", LayerKind::kRelu, {}, {first});
  const int second = graph.add("fc2", LayerKind::kLinear, {.outputs = 4}, {active});
  const int sum = graph.add("add", LayerKind::kAdd, {}, {second, active});
  const int loss = graph.add("loss", LayerKind::kSoftmaxLoss, {}, {sum});
  const double outputs =
      4 + 4 + 4 + 4 + static_cast<double>(graph.layers()[loss].output.elements());
  EXPECT_EQ(activation_bytes(graph, 1), 4 * (outputs + 3 * 4));  // by sum, fc2 and relu at once
}

TEST(Activations, AreAtMostTwiceAllOutputs) {
  for (const char* model : {"alexnet", "vgg16", "resnet50", "mobilenet_v2", "inception_v3"}) {
    const LayerGraph graph = build_model(model);
    const auto all = static_cast<double>(graph.activation_bytes());
    EXPECT_LT(activation_bytes(graph, 1), 2 * all) << model;
    EXPECT_GT(activation_bytes(graph, 1), 0.5 * all) << model;
  }
}

}  // namespace
}  // namespace tandem
