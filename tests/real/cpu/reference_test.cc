#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/model/zoo.h"
#include "tests/real/cpu/made_network.h"
#include "tests/real/cpu/reference_networks.h"

namespace tandem {
namespace {

constexpr int kBatchSize = 4;

/// Opens the committed reference where the network `name` begins.
std::ifstream reference_of(const std::string& name) {
  std::ifstream file(TANDEM_CPU_TEST_FOLDER "/reference_gradients.txt");
  for (std::string word, network; file >> word;) {
    if (word == "network" && file >> network && network == name) break;
  }
  return file;
}

/// The reference is exact (float64) and the sums here are of up to a few thousand float32 products,
/// whose rounding errors of 6e-8 each add up to about 1e-6 of the sum of magnitudes, a few times
/// that where they cancel: 2e-5 of the tensor's largest elements is asked for.
void expect_tensor(std::ifstream& reference, const Layer& layer, const ParameterTensor& tensor,
                   std::span<const float> gradient) {
  std::string name;
  std::size_t elements = 0;
  double length = 0;
  ASSERT_TRUE(reference >> name >> elements >> length);
  ASSERT_EQ(name, layer.name + "." + tensor.name);
  ASSERT_EQ(elements, gradient.size());
  const double typical = length / std::sqrt(static_cast<double>(elements));
  double squares = 0;
  for (const float value : gradient) squares += double(value) * value;
  EXPECT_NEAR(std::sqrt(squares), length, 1e-5 * length) << name;
  for (std::size_t i = 0; i < elements; i += 16) {
    double expected = 0;
    ASSERT_TRUE(reference >> expected);
    EXPECT_NEAR(gradient[i], expected, 2e-5 * (typical + std::abs(expected))) << name << " " << i;
  }
}

void expect_reference(const std::string& name, LayerGraph graph) {
  MadeNetwork net(std::move(graph), kBatchSize);
  const double loss = net.forward_and_backward();
  std::ifstream reference = reference_of(name);
  double expected_loss = 0;
  std::size_t tensors = 0;
  ASSERT_TRUE(reference >> expected_loss >> tensors);
  EXPECT_NEAR(loss, expected_loss, 1e-6);
  std::size_t seen = 0;
  for (const Layer& layer : net.graph().layers()) {
    for (const ParameterTensor& tensor : layer.parameters) {
      expect_tensor(reference, layer, tensor,
                    net.gradients().subspan(tensor.offset, tensor.elements));
      ++seen;
    }
  }
  EXPECT_EQ(seen, tensors);
}

TEST(Reference, MnistCnn) {
  expect_reference("mnist_cnn", build_model("mnist_cnn"));
}

TEST(Reference, ResidualsJoinsAndDepthwise) {
  expect_reference("mixed", mixed_network());
}

/// Gradients after two passes, in a network of their own.
std::vector<float> gradients(const LayerGraph& graph, int threads) {
  MadeNetwork net(graph, kBatchSize, threads);
  net.forward_and_backward();
  net.forward_and_backward();
  return {net.gradients().begin(), net.gradients().end()};
}

TEST(SameBits, OverTwoRuns) {
  for (const int threads : {1, 2}) {
    for (const LayerGraph& graph : {build_model("mnist_cnn"), mixed_network()}) {
      EXPECT_EQ(gradients(graph, threads), gradients(graph, threads))
          << graph.name() << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace tandem
