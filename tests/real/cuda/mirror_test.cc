// A device's copies of a worker's memory: whose numbers count, and that what is computed with them
// has the bits of what is computed without.

#include "real/cuda/mirror.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/comm/elementwise.h"
#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/training/experiment.h"
#include "core/training/optimizer.h"
#include "real/cuda/network.h"
#include "tests/real/cuda/wild_numbers.h"

namespace tandem {
namespace {

void with_mirrors(const std::function<void(Worker&)>& body) {
  run_loopback(1, [&](Worker& worker) {
    worker.set_mirrors(cuda_mirrors({}));
    body(worker);
  });
}

/// 0.5, 1.5, 2.5, ...
void count_up(const View& view) {
  std::iota(view.floats().begin(), view.floats().end(), 0.5F);
}

TEST(Mirror, HasTheHostsNumbersAndGivesBackItsOwn) {
  with_mirrors([](Worker& worker) {
    const Buffer from = worker.allocate(1000, DType::kFloat32);
    const Buffer to = worker.allocate(1000, DType::kFloat32);
    count_up(from.view());
    convert(to.view().slice(100, 300), from.view().slice(500, 300), 2);
    // The host's memory is as it was until somebody asks.
    EXPECT_EQ(reinterpret_cast<const float*>(to.view().data)[100], 0);
    EXPECT_EQ(to.view().floats()[99], 0);
    EXPECT_EQ(to.view().floats()[100], 2 * 500.5F);
    EXPECT_EQ(to.view().floats()[399], 2 * 799.5F);
    EXPECT_EQ(to.view().floats()[400], 0);
  });
}

TEST(Mirror, TakesWhatTheHostHasWrittenSince) {
  with_mirrors([](Worker& worker) {
    const Buffer from = worker.allocate(10, DType::kFloat32),
                 to = worker.allocate(10, DType::kFloat32);
    count_up(from.view());
    convert(to.view(), from.view());
    from.view().slice(3, 1).floats()[0] = 100;
    accumulate(to.view(), from.view(), 10);
    EXPECT_EQ(to.view().floats()[2], 11 * 2.5F);
    EXPECT_EQ(to.view().floats()[3], 3.5F + 1000);
  });
}

TEST(Mirror, LeavesNothingOfItsOwnWhereTheHostOverwrites) {
  with_mirrors([](Worker& worker) {
    const Buffer from = worker.allocate(10, DType::kFloat32),
                 to = worker.allocate(10, DType::kFloat32);
    count_up(from.view());
    convert(to.view(), from.view());
    const View middle = to.view().slice(4, 2).on_host(Access::kOverwrite);
    std::ranges::fill(middle.floats(), -1.0F);
    convert(from.view(), to.view());
    EXPECT_EQ(from.view().floats()[3], 3.5F);
    EXPECT_EQ(from.view().floats()[4], -1);
    EXPECT_EQ(from.view().floats()[5], -1);
    EXPECT_EQ(from.view().floats()[6], 6.5F);
  });
}

TEST(Mirror, StaysTheSameWhereItIsOnlyRead) {
  with_mirrors([](Worker& worker) {
    const Buffer from = worker.allocate(4, DType::kFloat32),
                 to = worker.allocate(4, DType::kFloat32);
    count_up(from.view());
    convert(to.view(), from.view());
    const View read = to.view().on_host(Access::kRead);
    reinterpret_cast<float*>(read.data)[0] = 77;  // against its word: nobody hears of it
    convert(from.view(), to.view());
    EXPECT_EQ(from.view().floats()[0], 0.5F);
  });
}

/// The words of the exact sum of squares of `numbers`, rounded to `dtype`, and of 3, 4 and 12
/// before them.
SquareWords square_words(const std::vector<float>& numbers, DType dtype, bool on_device) {
  SquareWords words{};
  run_loopback(1, [&](Worker& worker) {
    if (on_device) worker.set_mirrors(cuda_mirrors({}));
    const std::size_t count = numbers.size() + 3;
    const Buffer floats = worker.allocate(count, DType::kFloat32);
    const Buffer rounded = worker.allocate(count, dtype);
    const Buffer sum = worker.allocate(kSquareSumWords, DType::kInt64);
    std::ranges::copy(std::vector<float>{3, 4, 12}, floats.view().floats().begin());
    std::ranges::copy(numbers, floats.view().floats().begin() + 3);
    convert(rounded.view(), floats.view());
    std::ranges::fill(sum.view().numbers<std::int64_t>(), 5);
    clear(sum.view());
    // In a cut that leaves what follows at no even place.
    add_squares(sum.view(), rounded.view().slice(0, 3));
    if (on_device) {  // until somebody asks
      EXPECT_EQ(reinterpret_cast<const std::int64_t*>(sum.view().data)[3], 5);
    }
    add_squares(sum.view(), rounded.view().slice(3, numbers.size()));
    std::ranges::copy(sum.view().numbers<std::int64_t>(), words.begin());
    if (!numbers.empty()) {
      EXPECT_GT(square_sum(words), 0);
    } else {
      EXPECT_EQ(square_sum(words), 169);
    }
  });
  return words;
}

constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

TEST(Mirror, AddsSquaresInTheBitsOfTheHost) {
  for (const DType dtype : kFloats) {
    for (const std::size_t count : {0, 1, 65535, 65537, 200'001}) {
      std::vector<float> numbers = near_numbers(count);
      EXPECT_EQ(square_words(numbers, dtype, true), square_words(numbers, dtype, false)) << count;
      // What float16 can't hold becomes infinite: how many of those were met may differ.
      if (dtype == DType::kFloat16) continue;
      numbers = wild_numbers(count);
      for (float& number : numbers) number *= 0.5F;  // nor may these be rounded to infinity
      EXPECT_EQ(square_words(numbers, dtype, true), square_words(numbers, dtype, false)) << count;
    }
    // More in one bin than it has room for, and the numbers next to zero, by that dtype.
    for (const float number : {0.75F, 0x1p-24F, 0x1p-133F, 0x1p-149F}) {
      const std::vector<float> numbers(100'000, number);
      EXPECT_EQ(square_words(numbers, dtype, true), square_words(numbers, dtype, false)) << number;
    }
  }
}

TEST(Mirror, FindsWhatIsNotFinite) {
  for (const DType dtype : kFloats) {
    for (const float number : {std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(), std::nanf("")}) {
      for (const std::size_t place : {0, 4095, 99'999}) {
        std::vector<float> numbers(100'000, 0.5F);
        numbers[place] = number;
        SquareWords device = square_words(numbers, dtype, true);
        SquareWords host = square_words(numbers, dtype, false);
        EXPECT_TRUE(std::isinf(square_sum(device))) << place;
        device.back() = host.back() = 0;  // how often does not count
        EXPECT_EQ(device, host);
      }
    }
  }
}

/// Weights after some steps from gradients that change, with and without a device.
struct Trained {
  std::vector<float> weights, rounded;
};
Trained some_steps(const OptimizerSpec& spec, DType dtype, bool on_device) {
  Trained trained;
  run_loopback(1, [&](Worker& worker) {
    if (on_device) worker.set_mirrors(cuda_mirrors({}));
    constexpr std::size_t kElements = 77;
    const Buffer weights = worker.allocate(kElements, dtype);
    const Buffer gradients = worker.allocate(kElements, dtype);
    const Buffer numbers = worker.allocate(kElements, DType::kFloat32);
    count_up(numbers.view());
    Optimizer optimizer(spec, worker, kElements, dtype);
    if (optimizer.master().elements > 0) convert(optimizer.master(), numbers.view(), 0.01F);
    convert(weights.view(), numbers.view(), 0.01F);
    for (int step = 0; step < 4; ++step) {
      optimizer.begin_step(0.05);
      convert(gradients.view(), numbers.view(), 0.003F * static_cast<float>(step - 1));
      const auto do_slice = [&](auto work, std::size_t offset, std::size_t count) {
        (optimizer.*work)(worker, weights.view().slice(offset, count),
                          gradients.view().slice(offset, count), offset, 0.7F);
      };
      if (optimizer.is_layer_wise()) {
        do_slice(&Optimizer::measure, 0, 41);
        do_slice(&Optimizer::measure, 41, 36);
      }
      do_slice(&Optimizer::step, 0, 30);
      do_slice(&Optimizer::step, 30, 47);
    }
    const View whole = optimizer.master().elements > 0 ? optimizer.master() : weights.view();
    trained.weights.assign(whole.floats().begin(), whole.floats().end());
    convert(numbers.view(), weights.view());
    trained.rounded.assign(numbers.view().floats().begin(), numbers.view().floats().end());
  });
  return trained;
}

TEST(Mirror, UpdatesWeightsInTheBitsOfTheHost) {
  const std::vector<OptimizerSpec> specs = {
      {.name = "sgd", .learning_rate = 0.1, .weight_decay = 0.01},
      {.name = "sgd", .learning_rate = 0.1, .momentum = 0.9},
      {.name = "sgd", .learning_rate = 0.1, .momentum = 0.9, .nesterov = true},
      {.name = "adam", .learning_rate = 0.1, .weight_decay = 0.01},
      {.name = "adamw", .learning_rate = 0.1, .weight_decay = 0.01},
      {.name = "lamb", .learning_rate = 0.1, .weight_decay = 0.01},
  };
  for (const OptimizerSpec& spec : specs) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      const Trained host = some_steps(spec, dtype, false), device = some_steps(spec, dtype, true);
      EXPECT_EQ(device.weights, host.weights) << spec.name << ' ' << static_cast<int>(dtype);
      EXPECT_EQ(device.rounded, host.rounded) << spec.name << ' ' << static_cast<int>(dtype);
      EXPECT_NE(host.weights.front(), 0.005F) << "not trained";
    }
  }
}

/// Weights, moments and lengths after steps of LAMB over many tensors, in slices that cut them.
std::vector<float> steps_over_tensors(DType dtype, bool on_device) {
  std::vector<float> result;
  run_loopback(1, [&](Worker& worker) {
    if (on_device) worker.set_mirrors(cuda_mirrors({}));
    const LayerGraph graph = build_model("mnist_cnn", {.input = Shape{1, 28, 28}, .classes = 10});
    const std::size_t elements = graph.parameter_elements();
    const std::vector<Chunk> chunks = {{elements / 3, elements / 2}};  // a shard
    const std::size_t count = chunks[0].elements;
    Optimizer optimizer({.name = "lamb", .learning_rate = 0.1, .weight_decay = 0.01}, worker, graph,
                        chunks, dtype);
    const Buffer weights = worker.allocate(count, dtype), gradients = worker.allocate(count, dtype);
    const Buffer numbers = worker.allocate(count, DType::kFloat32);
    std::ranges::copy(near_numbers(count), numbers.view().floats().begin());
    convert(weights.view(), numbers.view());
    if (optimizer.master().elements > 0) convert(optimizer.master(), numbers.view());
    std::vector<float> wild = wild_numbers(count);
    for (float& number : wild) number = std::abs(number) < 1e4F ? number : 1e-3F;
    std::ranges::copy(wild, numbers.view().floats().begin());
    for (int step = 0; step < 3; ++step) {
      optimizer.begin_step(0.05);
      convert(gradients.view(), numbers.view(), 0.3F * static_cast<float>(step - 1));
      const auto in_slices = [&](auto work) {
        for (std::size_t at = 0; at < count; at += 7001) {
          const std::size_t length = std::min<std::size_t>(7001, count - at);
          (optimizer.*work)(worker, weights.view().slice(at, length),
                            gradients.view().slice(at, length), at, 0.5F);
        }
      };
      in_slices(&Optimizer::measure);
      for (const std::int64_t word :
           optimizer.lengths().on_host(Access::kRead).numbers<std::int64_t>()) {
        for (const int shift : {0, 16, 32})  // of which a float holds each part
          result.push_back(static_cast<float>(word >> shift & 0xFFFF));
      }
      in_slices(&Optimizer::step);
    }
    convert(numbers.view(), weights.view());
    result.insert(result.end(), numbers.view().floats().begin(), numbers.view().floats().end());
  });
  return result;
}

TEST(Mirror, UpdatesTensorsByTheirLengthsInTheBitsOfTheHost) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const std::vector<float> host = steps_over_tensors(dtype, false);
    EXPECT_EQ(steps_over_tensors(dtype, true), host) << static_cast<int>(dtype);
    EXPECT_TRUE(std::ranges::all_of(host, [](float x) { return std::isfinite(x); }));
  }
}

Scenario small_scenario(const std::string& algorithm) {
  const auto layer = [](const char* name, LayerKind kind, LayerOptions options) {
    return LayerSpec{name, kind, options, {}};
  };
  Scenario scenario;
  scenario.model = {
      .name = "small",
      .input = Shape{2, 6, 5},
      .classes = {},
      .layers = {layer("first", LayerKind::kConvolution,
                       {.outputs = 4, .kernel_height = 3, .kernel_width = 3}),
                 layer("norm", LayerKind::kBatchNorm, {}), layer("relu", LayerKind::kRelu, {}),
                 layer("dropout", LayerKind::kDropout, {.probability = 0.2}),
                 layer("scores", LayerKind::kLinear, {.outputs = 4})}};
  scenario.data.name = "synthetic";
  scenario.batch_size = 4;
  scenario.optimizer = {.name = "sgd", .learning_rate = 0.02, .momentum = 0.9};
  scenario.iterations = 6;
  scenario.warmup_iterations = 0;
  scenario.algorithm.name = algorithm;
  scenario.workers = algorithm == "none" ? 1 : 2;
  return scenario;
}

/// Hashes of the members' final weights, in their order.
std::vector<std::string> hashes(const Scenario& scenario, bool on_device) {
  Experiment experiment = prepare_experiment(scenario, true, cuda_network({}));
  if (on_device) experiment.mirrors = [] { return cuda_mirrors({}); };
  std::vector<std::string> found(scenario.members());
  run_loopback(scenario.members(), [&](Worker& worker) {
    found[worker.group().rank] = run_member(experiment, worker).weights_hash;
  });
  return found;
}

void expect_same(const Scenario& scenario, const std::string& what) {
  EXPECT_EQ(hashes(scenario, true), hashes(scenario, false)) << what;
}

TEST(Mirror, TrainsInTheBitsOfATrainingThatHasNone) {
  for (const char* algorithm : {"none", "all_reduce", "parameter_server", "local_sgd"})
    expect_same(small_scenario(algorithm), algorithm);
  for (const int stage : {1, 2, 3}) {
    Scenario scenario = small_scenario("zero");
    scenario.algorithm.stage = stage;
    expect_same(scenario, "zero " + std::to_string(stage));
  }
}

TEST(Mirror, TrainsInTheBitsOfATrainingThatHasNoneIn16Bits) {
  for (const char* precision : {"fp16", "bf16"}) {
    for (const char* algorithm : {"none", "all_reduce", "zero"}) {
      Scenario scenario = small_scenario(algorithm);
      scenario.precision.name = precision;
      expect_same(scenario, std::string(algorithm) + ' ' + precision);
      scenario.backward_passes_per_step = 2;
      expect_same(scenario, std::string(algorithm) + " in two passes " + precision);
    }
  }
}

// What goes to the host and back between passes that are recorded.
TEST(Mirror, TrainsInTheBitsOfATrainingThatHasNoneWhateverAsksForNumbers) {
  const std::vector<std::pair<std::string, std::function<void(Scenario&)>>> changes = {
      {"passes", [](Scenario& s) { s.backward_passes_per_step = 2; }},
      {"evaluation", [](Scenario& s) { s.evaluate_every = 2; }},
      {"prefetch", [](Scenario& s) { s.data.prefetch = 0; }},
      {"clipping", [](Scenario& s) { s.clip_norm = 0.5; }},
      {"adam", [](Scenario& s) { s.optimizer = {.name = "adam", .learning_rate = 0.01}; }},
      {"lamb", [](Scenario& s) { s.optimizer = {.name = "lamb", .learning_rate = 0.01}; }},
      {"lamb and clipping in 16 bits",
       [](Scenario& s) {
         s.optimizer = {.name = "lamb", .learning_rate = 0.01, .weight_decay = 0.1};
         s.clip_norm = 0.5;
         s.precision.name = "fp16";
       }},
      {"overflows",
       [](Scenario& s) {
         s.precision.name = "fp16";
         s.precision.loss_scale = {.initial = 0x1p19, .window = 2, .hysteresis = 1, .minimum = 1};
       }},
      {"statistics", [](Scenario& s) { s.synchronize_batch_norm = true; }}};
  for (const auto& [what, change] : changes) {
    for (const char* algorithm : {"none", "all_reduce", "zero"}) {
      Scenario scenario = small_scenario(algorithm);
      change(scenario);
      expect_same(scenario, std::string(algorithm) + ' ' + what);
    }
  }
}

/// Losses of three passes over two batches in turns, by what is done before each load().
template <typename Before>
std::vector<double> losses_of_passes(const Before& before) {
  std::vector<double> losses;
  run_loopback(1, [&](Worker& worker) {
    worker.set_mirrors(cuda_mirrors({}));
    const LayerGraph graph = build_model("mnist_cnn", {.input = Shape{1, 28, 28}, .classes = 10});
    const Buffer parameters = worker.allocate(graph.parameter_elements(), DType::kFloat32);
    const Buffer gradients = worker.allocate(graph.parameter_elements(), DType::kFloat32);
    initialize_parameters(graph, 1, parameters.view().floats());
    const auto network = cuda_network({})(graph, 2, parameters.view(), gradients.view());
    const std::size_t count = 2 * graph.input().elements();
    std::array<std::shared_ptr<float[]>, 2> batches;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      batches[b] = network->allocate_images(count);
      for (std::size_t i = 0; i < count; ++i)
        batches[b][i] = static_cast<float>((i * (b + 3)) % 11) / 11;
    }
    const std::vector<std::int32_t> labels = {3, 7};
    for (int pass = 0; pass < 4; ++pass) {
      const std::span<const float> images(batches[pass % 2].get(), count);
      const std::span<const float> others(batches[(pass + 1) % 2].get(), count);
      before(*network, images, others);
      network->load({images, labels}, Mode::kTraining, 1);
      const int layers = static_cast<int>(graph.layers().size());
      for (int i = 1; i < layers; ++i) network->forward(i);
      losses.push_back(network->loss());
      for (int i = layers - 1; i > 0; --i) network->backward(i);
    }
  });
  return losses;
}

TEST(Prefetch, OfTheseImagesOfOthersOrOfNoneIsNoOtherBatch) {
  using Images = std::span<const float>;
  const auto none = losses_of_passes([](Network&, Images, Images) {});
  EXPECT_EQ(losses_of_passes([](Network& n, Images images, Images) { n.prefetch(images); }), none);
  EXPECT_EQ(losses_of_passes([](Network& n, Images, Images others) { n.prefetch(others); }), none);
  EXPECT_NE(none[0], none[1]);
  EXPECT_EQ(none[0], none[2]);
}

}  // namespace
}  // namespace tandem
