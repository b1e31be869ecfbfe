// What gradients become on their way through an exchange.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/strategies/gradient_exchange.h"

namespace tandem {
namespace {

constexpr int kWorkers = 3;

Scenario scenario_of(const CompressionSpec& compression) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 1;
  scenario.algorithm.compression = compression;
  scenario.algorithm.bucket_bytes = 0;
  scenario.workers = kWorkers;
  return scenario;
}

/// A worker's gradient of one iteration.
using Gradient = std::vector<float>;
using MakeGradient = std::function<Gradient(int rank, int iteration, std::size_t elements)>;

/// Sums of the gradients of `iterations`, as worker 0 has them after each exchange; all have the
/// same.
std::vector<Gradient> exchanged(const CompressionSpec& compression, int iterations,
                                const MakeGradient& make) {
  const Scenario scenario = scenario_of(compression);
  const LayerGraph graph = build_model("mnist_cnn");
  const std::vector<Bucket> buckets = gradient_buckets(graph, 0);
  std::vector<std::vector<Gradient>> sums(kWorkers);
  run_loopback(kWorkers, [&](Worker& worker) {
    const int rank = worker.group().rank;
    Replica replica(scenario, graph, worker);
    const auto exchange = make_gradient_exchange(replica, buckets);
    const auto gradients = replica.gradients.view().floats();
    for (int i = 0; i < iterations; ++i) {
      std::ranges::copy(make(rank, i, gradients.size()), gradients.begin());
      for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) exchange->start(bucket);
      for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) exchange->finish(bucket);
      sums[rank].emplace_back(gradients.begin(), gradients.end());
    }
  });
  for (const auto& others : sums) EXPECT_EQ(others, sums[0]) << compression.name;
  return sums[0];
}

Gradient random_gradient(int rank, int iteration, std::size_t elements) {
  RandomStream random(11, static_cast<std::uint64_t>(rank * 1000 + iteration));
  Gradient gradient(elements);
  for (float& number : gradient) number = random.near_normal();
  return gradient;
}

double length(const Gradient& gradient) {
  return std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
}

/// The length of a - b by that of b.
double relative_error(const Gradient& a, const Gradient& b) {
  Gradient difference(a.size());
  std::ranges::transform(a, b, difference.begin(), std::minus{});
  return length(difference) / length(b);
}

Gradient sum_of(const std::vector<Gradient>& gradients) {
  Gradient sum(gradients.front().size());
  for (const Gradient& gradient : gradients) {
    std::ranges::transform(sum, gradient, sum.begin(), std::plus{});
  }
  return sum;
}

Gradient true_sum(const MakeGradient& make, int iterations, std::size_t elements) {
  std::vector<Gradient> all;
  for (int i = 0; i < iterations; ++i) {
    for (int rank = 0; rank < kWorkers; ++rank) all.push_back(make(rank, i, elements));
  }
  return sum_of(all);
}

TEST(Compression, In16BitsIsTheSumRounded) {
  for (const auto& [name, unit] : {std::pair{"fp16", 0x1p-11}, std::pair{"bf16", 0x1p-8}}) {
    const Gradient sum = exchanged({.name = name}, 1, random_gradient).front();
    const double error = relative_error(sum, true_sum(random_gradient, 1, sum.size()));
    EXPECT_GT(error, unit / 10) << name;
    EXPECT_LT(error, 2 * unit) << name;
  }
}

TEST(Compression, TopKSendsTheLargest) {
  // Of every bucket the first tenth is large on worker 0, the second on worker 1, and so on.
  const auto make = [](int rank, int, std::size_t elements) {
    Gradient gradient(elements, 0.001F);
    for (const Bucket& bucket : gradient_buckets(build_model("mnist_cnn"), 0)) {
      const std::size_t tenth = bucket.elements / 10;
      for (std::size_t i = 0; i < tenth; ++i) {
        gradient[bucket.offset + rank * tenth + i] = -5.0F - static_cast<float>(i % 7);
      }
    }
    return gradient;
  };
  const Gradient sum = exchanged({.name = "top_k", .ratio = 0.1}, 1, make).front();
  for (const Bucket& bucket : gradient_buckets(build_model("mnist_cnn"), 0)) {
    const std::size_t tenth = bucket.elements / 10;
    for (std::size_t i = 0; i < kWorkers * tenth; ++i) {
      EXPECT_EQ(sum[bucket.offset + i], -5.0F - static_cast<float>(i % tenth % 7));
    }
    EXPECT_EQ(sum[bucket.offset + bucket.elements - 1], 0);
  }
}

TEST(Compression, TopKOfEverythingIsTheSum) {
  const Gradient sum = exchanged({.name = "top_k", .ratio = 1}, 1, random_gradient).front();
  EXPECT_LT(relative_error(sum, true_sum(random_gradient, 1, sum.size())), 1e-6);
}

// A gradient of rank 1 in every matrix is what rank 2 holds exactly.
TEST(Compression, PowerSgdKeepsAGradientOfItsRank) {
  const LayerGraph graph = build_model("mnist_cnn");
  const auto make = [&](int rank, int, std::size_t elements) {
    Gradient gradient(elements, 1);
    for (const Layer& layer : graph.layers()) {
      for (const ParameterTensor& tensor : layer.parameters) {
        for (std::size_t i = 0; i < tensor.elements; ++i) {
          const std::size_t columns = std::max<std::size_t>(tensor.fan_in, 1);
          gradient[tensor.offset + i] = static_cast<float>(rank + 1) *
                                        std::cos(static_cast<float>(i / columns)) *
                                        (1 + static_cast<float>(i % columns % 5));
        }
      }
    }
    return gradient;
  };
  const Gradient sum = exchanged({.name = "power_sgd", .rank = 2}, 1, make).front();
  EXPECT_LT(relative_error(sum, true_sum(make, 1, sum.size())), 1e-5);
}

// What one exchange leaves out, later ones bring: of a constant gradient the rest stays bounded, so
// its share falls with the number of iterations.
TEST(Compression, ErrorFeedbackLosesNothing) {
  const auto make = [](int rank, int, std::size_t elements) {
    return random_gradient(rank, 0, elements);
  };
  for (const CompressionSpec& spec :
       {CompressionSpec{.name = "top_k", .ratio = 0.2}, CompressionSpec{.name = "power_sgd"}}) {
    const auto error_after = [&](int iterations) {
      const Gradient sum = sum_of(exchanged(spec, iterations, make));
      return relative_error(sum, true_sum(make, iterations, sum.size()));
    };
    const double error = error_after(20);
    EXPECT_GT(error, 0.01) << spec.name;
    EXPECT_LT(error_after(80), error / 3) << spec.name;
  }
}

// A gradient that was 0 once, as behind dead units, is followed when it is not.
TEST(Compression, PowerSgdRecoversFromZeros) {
  const auto make = [](int rank, int iteration, std::size_t elements) {
    return iteration == 0 ? Gradient(elements) : random_gradient(rank, 0, elements);
  };
  const auto sums = exchanged({.name = "power_sgd"}, 4, make);
  EXPECT_EQ(length(sums[0]), 0);
  const Gradient late = sum_of({sums[2], sums[3]});
  EXPECT_LT(relative_error(late, true_sum(make, 3, late.size())), 0.95);
  EXPECT_GT(length(sums[3]), 0.1 * length(true_sum(random_gradient, 1, late.size())));
}

}  // namespace
}  // namespace tandem
