// The transformer on the device against a plain one.

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "core/data/dataset.h"
#include "core/model/zoo.h"
#include "tests/real/cpu/made_network.h"

namespace tandem {
namespace {

constexpr int kBatchSize = 2;
constexpr TransformerShape kShape{
    .layers = 2, .width = 12, .heads = 3, .vocabulary = 11, .sequence = 5};

using Vector = std::vector<double>;
using Sequence = std::vector<Vector>;  ///< a vector a position

LayerGraph small_gpt() {
  return build_model("gpt", {.input = {}, .classes = {}, .transformer = kShape});
}

/// GPT-2 of one sequence, one number after the other, in double precision.
class PlainGpt {
 public:
  PlainGpt(const LayerGraph& graph, std::span<const float> parameters)
      : graph_(graph), parameters_(parameters) {}

  Sequence logits(std::span<const float> tokens) const {
    Sequence x;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Vector token = row("embedding", 0, static_cast<int>(tokens[t]), kShape.width);
      x.push_back(sum(token, row("embedding", 1, static_cast<int>(t), kShape.width)));
    }
    for (int block = 1; block <= kShape.layers; ++block) {
      const std::string name = "block" + std::to_string(block);
      add(x, linear(name + ".projection", attend(linear(name + ".qkv", norm(name + ".norm1", x)))));
      add(x, linear(name + ".fc2", gelu(linear(name + ".fc1", norm(name + ".norm2", x)))));
    }
    return linear("head", norm("norm", x));
  }

 private:
  const Layer& layer(const std::string& name) const {
    return *std::ranges::find(graph_.layers(), name, &Layer::name);
  }

  Vector row(const std::string& name, int tensor, int index, int width) const {
    const auto values = parameters_.subspan(
        layer(name).parameters.at(tensor).offset + std::size_t(index) * width, width);
    return {values.begin(), values.end()};
  }

  static Vector sum(Vector a, const Vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  static void add(Sequence& x, const Sequence& y) {
    for (std::size_t t = 0; t < x.size(); ++t) x[t] = sum(x[t], y[t]);
  }

  static double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  Sequence linear(const std::string& name, Sequence x) const {
    const int outputs = layer(name).options.outputs;
    for (Vector& position : x) {
      Vector y = layer(name).options.bias ? row(name, 1, 0, outputs) : Vector(outputs);
      for (int i = 0; i < outputs; ++i) {
        y[i] += dot(row(name, 0, i, static_cast<int>(position.size())), position);
      }
      position = y;
    }
    return x;
  }

  Sequence norm(const std::string& name, Sequence x) const {
    const Vector scale = row(name, 0, 0, kShape.width), shift = row(name, 1, 0, kShape.width);
    for (Vector& position : x) {
      const double mean = dot(position, Vector(kShape.width, 1)) / kShape.width;
      for (double& value : position) value -= mean;
      const double deviation = std::sqrt(dot(position, position) / kShape.width + 1e-5);
      for (int i = 0; i < kShape.width; ++i) {
        position[i] = scale[i] * position[i] / deviation + shift[i];
      }
    }
    return x;
  }

  static Sequence gelu(Sequence x) {
    for (Vector& position : x) {
      for (double& v : position) {
        v = v / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
      }
    }
    return x;
  }

  /// Of the head's part of query (0), key (1) or value (2).
  static Vector part(const Vector& qkv, int which, int head) {
    const int features = kShape.width / kShape.heads;
    const auto begin = qkv.begin() + which * kShape.width + head * features;
    return {begin, begin + features};
  }

  static Sequence attend(const Sequence& qkv) {
    Sequence outputs(qkv.size());
    for (int head = 0; head < kShape.heads; ++head) {
      for (std::size_t t = 0; t < qkv.size(); ++t) {
        Vector mean(kShape.width / kShape.heads);
        double total = 0;
        for (std::size_t seen = 0; seen <= t; ++seen) {
          const double score = dot(part(qkv[t], 0, head), part(qkv[seen], 1, head));
          const double weight = std::exp(score / std::sqrt(double(mean.size())));
          const Vector value = part(qkv[seen], 2, head);
          for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += weight * value[i];
          total += weight;
        }
        for (const double value : mean) outputs[t].push_back(value / total);
      }
    }
    return outputs;
  }

  const LayerGraph& graph_;
  std::span<const float> parameters_;
};

double cross_entropy(const Vector& logits, int label) {
  double total = 0;
  for (const double logit : logits) total += std::exp(logit);
  return std::log(total) - logits[label];
}

TEST(SmallGpt, HasTheLossOfAPlainOne) {
  MadeNetwork net(small_gpt(), kBatchSize);
  const PlainGpt plain(net.graph(), net.parameters());
  double loss = 0;
  int correct = 0;
  for (int sample = 0; sample < kBatchSize; ++sample) {
    const std::size_t first = std::size_t(sample) * kShape.sequence;
    const Sequence logits = plain.logits(std::span(net.images()).subspan(first, kShape.sequence));
    for (int t = 0; t < kShape.sequence; ++t) {
      const int label = net.labels()[first + t];
      loss += cross_entropy(logits[t], label) / (kBatchSize * kShape.sequence);
      correct += std::ranges::max_element(logits[t]) - logits[t].begin() == label;
    }
  }
  EXPECT_NEAR(net.forward(), loss, 2e-6 * loss);
  EXPECT_EQ(net.network().correct(), correct);
}

// The loss at the first positions alone, whatever tokens follow.
TEST(SmallGpt, SeesNoTokenAfterAPosition) {
  MadeNetwork net(small_gpt(), 1);
  std::fill(net.labels().begin() + 3, net.labels().end(), kNoLabel);
  const double before = net.forward();
  net.images()[3] = 9;
  net.images()[4] = 2;
  EXPECT_EQ(net.forward(), before);
  net.images()[2] = 9;
  EXPECT_NE(net.forward(), before);
}

TEST(SmallGpt, GivesPositionsWithoutALabelNoGradient) {
  MadeNetwork net(small_gpt(), 1);
  std::fill(net.labels().begin() + 1, net.labels().end(), kNoLabel);
  net.forward_and_backward();
  const Layer& embedding = net.graph().layers()[1];
  const auto positions =
      net.gradients().subspan(embedding.parameters[1].offset, embedding.parameters[1].elements);
  const auto is_zero = [](float gradient) { return gradient == 0; };
  EXPECT_FALSE(std::all_of(positions.begin(), positions.begin() + kShape.width, is_zero));
  EXPECT_TRUE(std::all_of(positions.begin() + kShape.width, positions.end(), is_zero));
}

TEST(SmallGpt, GivesTheSameBitsOverTwoRuns) {
  for (const int threads : {1, 2}) {
    const auto gradients = [&] {
      MadeNetwork net(small_gpt(), kBatchSize, threads);
      net.forward_and_backward();
      net.forward_and_backward();
      return std::vector<float>(net.gradients().begin(), net.gradients().end());
    };
    EXPECT_EQ(gradients(), gradients()) << threads << " threads";
  }
}

}  // namespace
}  // namespace tandem
