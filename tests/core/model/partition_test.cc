#include "core/model/partition.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "core/base/error.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

double largest(const LayerGraph& graph, const std::vector<LayerRange>& ranges) {
  double cost = 0;
  for (const LayerRange& range : ranges) cost = std::max(cost, cost_of(graph, range));
  return cost;
}

/// Mean over largest cost: 1 where all stages cost the same.
double balance(const std::string& model, int stages) {
  const LayerGraph graph = build_model(model);
  const double all = graph.forward_flops() + graph.backward_flops();
  return all / stages / largest(graph, partition(graph, stages));
}

/// Whether nothing before `last` is read beyond it.
bool may_end_at(const LayerGraph& graph, int last) {
  for (int i = last + 1; i < std::ssize(graph.layers()); ++i) {
    for (const int input : graph.layers()[i].inputs) {
      if (input < last) return false;
    }
  }
  return graph.layers()[last].needs_gradient;
}

/// By trying all of them.
double least_largest(const LayerGraph& graph, int first, int stages) {
  const int count = static_cast<int>(graph.layers().size());
  if (stages == 1) return cost_of(graph, {first, count - 1});
  double least = std::numeric_limits<double>::infinity();
  for (int last = first; last + 1 < count; ++last) {
    if (!may_end_at(graph, last)) continue;
    least = std::min(
        least, std::max(cost_of(graph, {first, last}), least_largest(graph, last + 1, stages - 1)));
  }
  return least;
}

TEST(Partition, CoversTheModelInOrderAndCutsOneTensorAtATime) {
  for (const std::string& model : model_names()) {
    const LayerGraph graph = build_model(model);
    for (const int stages : {1, 2, 3, 4}) {
      int next = 1;
      for (const LayerRange& range : partition(graph, stages)) {
        EXPECT_EQ(range.first, next) << model;
        EXPECT_LE(range.first, range.last) << model;
        next = range.last + 1;
        if (next < std::ssize(graph.layers())) {
          EXPECT_TRUE(may_end_at(graph, range.last)) << model << " layer " << range.last;
        }
      }
      EXPECT_EQ(next, std::ssize(graph.layers())) << model;
    }
  }
}

TEST(Partition, IsTheBestOfAll) {
  for (const std::string model : {"mnist_cnn", "cifar10_cnn", "sdss_dnn"}) {
    const LayerGraph graph = build_model(model);
    for (const int stages : {1, 2, 3, 4, 5}) {
      EXPECT_EQ(largest(graph, partition(graph, stages)), least_largest(graph, 1, stages))
          << model << " " << stages;
    }
  }
}

TEST(Partition, BalancesTheZoo) {
  EXPECT_GT(balance("resnet50", 2), 0.95);
  EXPECT_GT(balance("resnet50", 4), 0.9);
  EXPECT_GT(balance("resnet50", 8), 0.8);
  EXPECT_GT(balance("vgg16", 2), 0.9);
  EXPECT_GT(balance("vgg16", 4), 0.8);
  EXPECT_GT(balance("mnist_cnn", 2), 0.6);  // conv2 alone takes three quarters of all
}

// The last two stages are fc8 and the loss. The second may begin behind fc16 or fc4, for together
// they and fc4000 cost less than fc8.
TEST(Partition, CutsWhereTheFewestElementsCross) {
  LayerGraph graph("narrow", {8, 1, 1});
  int last = 0;
  for (const int width : {16, 4, 4000, 8}) {
    last = graph.add("fc" + std::to_string(width), LayerKind::kLinear, {.outputs = width}, {last});
  }
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {last});
  const auto ranges = partition(graph, 4);
  EXPECT_EQ(ranges[0].last, 2);
  EXPECT_EQ(ranges[1].last, 3);
  EXPECT_EQ(ranges[2].last, 4);
}

TEST(Partition, RefusesMoreStagesThanItCanCut) {
  LayerGraph graph("residual", {8, 1, 1});
  const int fc1 = graph.add("fc1", LayerKind::kLinear, {.outputs = 8}, {0});
  const int fc2 = graph.add("fc2", LayerKind::kLinear, {.outputs = 8}, {fc1});
  const int sum = graph.add("sum", LayerKind::kAdd, {}, {fc1, fc2});
  graph.add("loss", LayerKind::kSoftmaxLoss, {}, {sum});
  EXPECT_EQ(partition(graph, 3)[1].first, fc2);
  EXPECT_EQ(partition(graph, 3)[1].last, sum);
  try {
    partition(graph, 4);
    FAIL() << "four stages";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "model residual can be cut into 3 stages at most, for it is cut only where a "
                 "single tensor is handed on, but the pipeline has 4; lower algorithm.stages");
  }
}

TEST(Stage, HasTheCostsOfItsLayersInTheModel) {
  const LayerGraph graph = build_model("resnet50");
  std::size_t parameters = 0;
  for (const LayerRange& range : partition(graph, 4)) {
    const LayerGraph stage = graph.stage(range.first, range.last);
    EXPECT_EQ(stage.forward_flops() + stage.backward_flops(), cost_of(graph, range));
    EXPECT_EQ(graph.layers()[range.first].parameter_offset, parameters);
    parameters += stage.parameter_elements();
    for (int i = range.first; i <= range.last; ++i) {
      const Layer& there = stage.layers()[i - range.first + 1];
      EXPECT_EQ(there.name, graph.layers()[i].name);
      EXPECT_EQ(there.output, graph.layers()[i].output);
      EXPECT_EQ(there.needs_gradient, graph.layers()[i].needs_gradient);
      EXPECT_EQ(there.backward_bytes, graph.layers()[i].backward_bytes);
    }
  }
  EXPECT_EQ(parameters, graph.parameter_elements());
}

}  // namespace
}  // namespace tandem
