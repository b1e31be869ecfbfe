// The CUDA device beside the CPU's: losses and gradients of the same batch, and a hundred steps.

#include <gtest/gtest.h>

#include <cmath>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/training/experiment.h"
#include "real/cpu/network.h"
#include "real/cuda/network.h"
#include "tests/real/cpu/made_network.h"
#include "tests/real/cpu/reference_networks.h"
#include "tests/real/cpu/stage_passes.h"

namespace tandem {
namespace {

using cuda::Arithmetic;

/// How far the length of the gradients' difference may be from nothing, as a share of their own.
/// Sums of thousands of float32 products in another order differ by about 1e-6, and batch norms and
/// cancellation make ten times that of it. Factors rounded to 10 bits are off by up to 2^-11 each
/// (tf32, and float16, which has activations and gradients rounded too), to 7 bits by up to 2^-8:
/// through a dozen layers their errors grow to some times that.
struct Bound {
  Arithmetic arithmetic;
  double gradients, loss;
};
constexpr Bound kBounds[] = {{Arithmetic::kFloat32, 1e-4, 1e-5},
                             {Arithmetic::kTf32, 2e-2, 2e-3},
                             {Arithmetic::kFloat16, 2e-2, 4e-3},
                             {Arithmetic::kBFloat16, 0.15, 3e-2}};

LayerGraph small_gpt() {
  return build_model("gpt",
                     {.input = {},
                      .classes = {},
                      .transformer = TransformerShape{
                          .layers = 2, .width = 12, .heads = 3, .vocabulary = 300, .sequence = 5}});
}

/// Every layer kind that is not in the mixed network or the transformer, and windows that end
/// outside of the padded input.
LayerGraph pooled_network() {
  using enum LayerKind;
  LayerGraph net("pooled", {3, 13, 11});
  LayerOptions pool{.kernel_height = 3, .kernel_width = 3, .stride_height = 2, .stride_width = 2};
  pool.ceil_mode = true;
  pool.padding_height = pool.padding_width = 1;
  LayerOptions uncounted = pool;
  uncounted.count_padding = false;
  LayerOptions mixing{.outputs = 10, .kernel_height = 3, .kernel_width = 2};
  int last = net.add("mixing", kConvolution, mixing, {0});
  last = net.add("smooth", kGelu, {}, {last});
  last = net.add("maximum", kMaxPool, pool, {last});
  last = net.add("dropped", kDropout, {.probability = 0.3}, {last});
  last = net.add("average", kAveragePool, uncounted, {last});
  last = net.add("scores", kLinear, {.outputs = 6}, {last});  // of an image, not flattened
  net.add("loss", kSoftmaxLoss, {}, {last});
  return net;
}

/// Batch norms whose output is rectified, added to something, or both, in either order, and one
/// that two layers read.
LayerGraph normalised_network(int channels) {
  using enum LayerKind;
  LayerGraph net("normalised", {3, 9, 7});
  LayerOptions convolution{.outputs = channels, .kernel_height = 3, .kernel_width = 3};
  convolution.padding_height = convolution.padding_width = 1;
  int count = 0;
  const auto add = [&](LayerKind kind, std::vector<int> inputs) {
    return net.add(std::string(to_string(kind)) + std::to_string(count++), kind,
                   kind == kConvolution ? convolution : LayerOptions{}, std::move(inputs));
  };
  const auto norm = [&](int input) { return add(kBatchNorm, {add(kConvolution, {input})}); };
  const int stem = add(kRelu, {norm(0)});
  const int identity = add(kRelu, {add(kAdd, {norm(add(kRelu6, {norm(stem)})), stem})});
  const int projected = add(kRelu6, {add(kAdd, {norm(identity), norm(identity)})});
  const int late = add(kAdd, {add(kRelu, {norm(projected)}), norm(projected)});
  const int read_twice = norm(late);
  int last = add(kAdd, {read_twice, add(kRelu, {read_twice})});
  last = add(kAdd, {norm(last), norm(last), late});
  net.add("scores", kLinear, {.outputs = 5}, {add(kGlobalAveragePool, {add(kRelu, {last})})});
  net.add("loss", kSoftmaxLoss, {}, {static_cast<int>(net.layers().size()) - 1});
  return net;
}

double length(std::span<const float> numbers) {
  double squares = 0;
  for (const float number : numbers) squares += double(number) * number;
  return std::sqrt(squares);
}

class Agreement : public testing::TestWithParam<Bound> {};

void expect_agreement(const LayerGraph& graph, const Bound& bound) {
  constexpr int kBatchSize = 4;
  MadeNetwork cpu(graph, kBatchSize, cpu_network(1));
  MadeNetwork gpu(graph, kBatchSize, cuda_network({.arithmetic = bound.arithmetic}));
  const double expected = cpu.forward_and_backward();
  EXPECT_NEAR(gpu.forward_and_backward(), expected, bound.loss * expected) << graph.name();
  std::vector<float> difference(cpu.gradients().begin(), cpu.gradients().end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= gpu.gradients()[i];
  EXPECT_LT(length(difference), bound.gradients * length(cpu.gradients())) << graph.name();
}

TEST_P(Agreement, OfResidualsJoinsAndDepthwise) {
  expect_agreement(mixed_network(), GetParam());
}

TEST_P(Agreement, OfPools) {
  expect_agreement(pooled_network(), GetParam());
}

TEST_P(Agreement, OfATransformer) {
  expect_agreement(small_gpt(), GetParam());
}

TEST_P(Agreement, OfNormsWithWhatFollowsThem) {
  Bound bound = GetParam();
  bound.gradients *= 3;  // it has more layers, and norms magnify what was rounded before them
  for (const int channels : {8, 10}) expect_agreement(normalised_network(channels), bound);
}

TEST_P(Agreement, OfEvaluation) {
  for (const int channels : {3, 16}) {
    MadeNetwork cpu(normalised_network(channels), 1, cpu_network(1));
    MadeNetwork gpu(normalised_network(channels), 1,
                    cuda_network({.arithmetic = GetParam().arithmetic}));
    for (MadeNetwork* made : {&cpu, &gpu}) made->forward();  // moves what evaluation goes by
    const double expected = cpu.forward(Mode::kEvaluation);
    EXPECT_NEAR(gpu.forward(Mode::kEvaluation), expected, GetParam().loss * expected);
  }
}

/// Sums over one worker are its own.
TEST_P(Agreement, OfStatisticsThatGoByWorkers) {
  const LayerGraph graph = normalised_network(8);
  const NetworkFactory make_network = cuda_network({.arithmetic = GetParam().arithmetic});
  MadeNetwork alone(graph, 4, make_network), summed(graph, 4, make_network);
  const double expected = alone.forward_and_backward();
  Network& network = summed.network();
  network.load({summed.images(), summed.labels()}, Mode::kTraining, 7);
  const int count = static_cast<int>(graph.layers().size());
  std::vector<Buffer> sums;
  const auto sum = [&](int layer, Phase phase) {
    if (graph.layers()[layer].kind != LayerKind::kBatchNorm) return;
    sums.push_back(make_host_buffer(1 + 2 * 8, DType::kFloat32));
    network.sum_statistics(layer, phase, sums.back().view());
  };
  for (int i = 1; i < count; ++i) {
    sum(i, Phase::kForward);
    network.forward(i);
  }
  EXPECT_NEAR(network.loss(), expected, GetParam().loss * expected);
  for (int i = count - 1; i > 0; --i) {
    sum(i, Phase::kBackward);
    network.backward(i);
  }
  std::vector<float> difference(summed.gradients().begin(), summed.gradients().end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= alone.gradients()[i];
  EXPECT_LT(length(difference), GetParam().gradients * length(alone.gradients()));
}

TEST_P(Agreement, OfAStageInTheMiddle) {
  const LayerGraph whole = mixed_network();
  const LayerGraph stage = whole.stage(7, 13);
  const auto run = [&](const NetworkFactory& make_network) {
    const StagePasses passes =
        run_stage(stage, 3, make_network, {0.3F, 1.0F}, [](const std::vector<float>& output) {
          std::vector<float> by_output(output.size());
          for (std::size_t i = 0; i < by_output.size(); ++i) by_output[i] = 0.01F * chirp(i, 0.2);
          return by_output;
        });
    std::vector<float> result = passes.output;
    result.insert(result.end(), passes.by_input.begin(), passes.by_input.end());
    result.insert(result.end(), passes.by_parameters.begin(), passes.by_parameters.end());
    return result;
  };
  const std::vector<float> expected = run(cpu_network(1));
  std::vector<float> difference = run(cuda_network({.arithmetic = GetParam().arithmetic}));
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= expected[i];
  EXPECT_LT(length(difference), GetParam().gradients * length(expected));
}

std::string name_of(const testing::TestParamInfo<Bound>& info) {
  constexpr const char* kNames[] = {"fp32", "tf32", "fp16", "bf16"};
  return kNames[static_cast<int>(info.param.arithmetic)];
}

INSTANTIATE_TEST_SUITE_P(Arithmetics, Agreement, testing::ValuesIn(kBounds), name_of);

/// Losses of a small network with batch norms over a hundred steps.
std::vector<double> hundred_losses(const NetworkFactory& make_network) {
  const auto layer = [](const char* name, LayerKind kind, LayerOptions options) {
    return LayerSpec{name, kind, options, {}};
  };
  const LayerOptions convolution{
      .outputs = 8, .kernel_height = 3, .kernel_width = 3, .stride_height = 2, .stride_width = 2};
  Scenario scenario;
  scenario.model = {
      .name = "small",
      .input = Shape{2, 9, 8},
      .classes = {},
      .layers = {layer("first", LayerKind::kConvolution, convolution),
                 layer("norm", LayerKind::kBatchNorm, {}), layer("relu", LayerKind::kRelu, {}),
                 layer("scores", LayerKind::kLinear, {.outputs = 4})}};
  scenario.data.name = "synthetic";
  scenario.batch_size = 12;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.02, .momentum = 0.9};
  scenario.iterations = 100;
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = "none";
  const Experiment experiment = prepare_experiment(scenario, true, make_network);
  std::vector<double> losses;
  run_loopback(1, [&](Worker& worker) {
    for (const IterationRecord& iteration : run_member(experiment, worker).iterations)
      losses.push_back(*iteration.loss);
  });
  return losses;
}

/// Differences of rounding grow from step to step, by far less than the loss falls.
TEST(HundredSteps, HaveTheLossesOfTheCpu) {
  const std::vector<double> expected = hundred_losses(cpu_network(1));
  const std::vector<double> losses = hundred_losses(cuda_network({}));
  ASSERT_EQ(losses.size(), 100U);
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i], expected[i], 1e-3 * expected.front()) << "step " << i;
  EXPECT_LT(expected.back(), 0.8 * expected.front());
}

}  // namespace
}  // namespace tandem
