#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/data/dataset.h"
#include "core/model/zoo.h"
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

double softmax_cross_entropy(const std::vector<double>& logits, int label) {
  double total = 0;
  for (const double logit : logits) total += std::exp(logit);
  return std::log(total) - logits[label];
}

/// input -> `kind` -> loss, on one sample of `classes` figures a batch entry.
LayerGraph over_input(LayerKind kind, int classes, const LayerOptions& options) {
  LayerGraph graph("direct", {classes, 1, 1});
  const int layer = graph.add("tested", kind, options, {0});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {layer});
  return graph;
}

TEST(Dropout, KeepsWhatTheCounterSays) {
  constexpr int kClasses = 20;
  MadeNetwork net(over_input(LayerKind::kDropout, kClasses, {.probability = 0.25}), 2);
  RandomStream random(99, 1);  // the pass's seed and the layer's index
  double expected = 0;
  int dropped = 0;
  for (int sample = 0; sample < 2; ++sample) {
    std::vector<double> logits;
    for (int i = 0; i < kClasses; ++i) {
      const bool keeps = random.uniform() >= 0.25F;
      dropped += !keeps;
      logits.push_back(keeps ? net.images()[sample * kClasses + i] / 0.75 : 0);
    }
    expected += softmax_cross_entropy(logits, net.labels()[sample]) / 2;
  }
  ASSERT_GT(dropped, 0);
  EXPECT_NEAR(net.forward(Mode::kTraining, 99), expected, 1e-6);
  EXPECT_NE(net.forward(Mode::kTraining, 100), net.forward(Mode::kTraining, 99));
}

TEST(Dropout, DoesNothingInEvaluation) {
  MadeNetwork net(over_input(LayerKind::kDropout, 20, {.probability = 0.25}), 1);
  const std::vector<double> logits(net.images().begin(), net.images().end());
  EXPECT_NEAR(net.forward(Mode::kEvaluation), softmax_cross_entropy(logits, net.labels()[0]), 1e-6);
}

// Two samples a and b of one channel each: mean (a+b)/2, variance (a-b)^2/4, unbiased (a-b)^2/2.
TEST(BatchNorm, EvaluatesWithRunningStatistics) {
  constexpr int kChannels = 3;
  constexpr double kMomentum = 0.3, kEpsilon = 1e-3;
  MadeNetwork net(
      over_input(LayerKind::kBatchNorm, kChannels, {.epsilon = kEpsilon, .momentum = kMomentum}),
      2);
  std::vector<double> mean(kChannels, 0), variance(kChannels, 1);
  const auto& x = net.images();
  for (int pass = 0; pass < 2; ++pass) {
    net.forward();
    for (int c = 0; c < kChannels; ++c) {
      const double a = x[c], b = x[kChannels + c];
      mean[c] += kMomentum * ((a + b) / 2 - mean[c]);
      variance[c] += kMomentum * ((a - b) * (a - b) / 2 - variance[c]);
    }
  }
  double expected = 0;
  for (int sample = 0; sample < 2; ++sample) {
    std::vector<double> logits;
    for (int c = 0; c < kChannels; ++c) {
      const double normal =
          (x[sample * kChannels + c] - mean[c]) / std::sqrt(variance[c] + kEpsilon);
      logits.push_back(net.parameters()[c] * normal + net.parameters()[kChannels + c]);
    }
    expected += softmax_cross_entropy(logits, net.labels()[sample]) / 2;
  }
  EXPECT_NEAR(net.forward(Mode::kEvaluation), expected, 1e-5);
  EXPECT_EQ(net.forward(Mode::kEvaluation), net.forward(Mode::kEvaluation));
}

TEST(Loss, LeavesOutSamplesWithoutLabel) {
  MadeNetwork net(over_input(LayerKind::kLinear, 4, {.outputs = 4}), 3);
  MadeNetwork alone(over_input(LayerKind::kLinear, 4, {.outputs = 4}), 1);
  net.labels() = {kNoLabel, 2, kNoLabel};
  alone.labels() = {2};
  std::copy_n(net.images().begin() + 4, 4, alone.images().begin());
  EXPECT_NEAR(net.forward_and_backward(), alone.forward_and_backward(), 1e-6);
  EXPECT_THAT(net.gradients(), testing::Pointwise(testing::FloatNear(1e-6F), alone.gradients()));
  EXPECT_EQ(net.network().correct(), alone.network().correct());
}

TEST(Loss, CountsLargestLogits) {
  MadeNetwork net(over_input(LayerKind::kRelu, 3, {}), 4);
  net.images() = {1, 3, 2, 5, 4, 0, 0, 0, 1, 9, 8, 7};
  net.labels() = {1, 1, 2, kNoLabel};
  net.forward();
  EXPECT_EQ(net.network().correct(), 2);
}

TEST(DeviceNetwork, LearnsAFixedBatch) {
  MadeNetwork net(build_model("mnist_cnn"), 16);
  const double first = net.forward_and_backward();
  double last = first;
  for (int step = 0; step < 80; ++step) {
    for (std::size_t i = 0; i < net.parameters().size(); ++i) {
      net.parameters()[i] -= 0.1F * net.gradients()[i];
    }
    last = net.forward_and_backward();
  }
  EXPECT_LT(last, 0.2 * first);
  EXPECT_EQ(net.network().correct(), 16);
}

TEST(DeviceNetwork, RefusesAModelWithoutLoss) {
  LayerGraph graph("endless", {4, 1, 1});
  graph.add("scores", LayerKind::kLinear, {.outputs = 3}, {0});
  EXPECT_THROW(MadeNetwork(graph, 1), InputError);
}

TEST(DeviceNetwork, RefusesALayerThatNothingReads) {
  LayerGraph graph("dead_end", {4, 1, 1});
  const int scores = graph.add("scores", LayerKind::kLinear, {.outputs = 3}, {0});
  graph.add("unread", LayerKind::kRelu, {}, {scores});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {scores});
  try {
    MadeNetwork net(graph, 1);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'unread'"));
  }
}

}  // namespace
}  // namespace tandem
