#include "core/training/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/comm/loopback/loopback.h"

namespace tandem {
namespace {

// As in make_optimizer_reference.py.
constexpr int kSteps = 5;

float chirp(std::size_t index) {
  const auto x = static_cast<double>(index);
  return static_cast<float>(std::sin(x + 0.001 * x * x));
}

const std::map<std::string, OptimizerSpec>& cases() {
  static const std::map<std::string, OptimizerSpec> kCases = {
      {"sgd", {.name = "sgd", .learning_rate = 0.1, .weight_decay = 0.01}},
      {"momentum", {.name = "sgd", .learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01}},
      {"nesterov",
       {.name = "sgd",
        .learning_rate = 0.1,
        .momentum = 0.9,
        .nesterov = true,
        .weight_decay = 0.01}},
      {"adam", {.name = "adam", .learning_rate = 0.01, .weight_decay = 0.01}},
      {"adam_betas",
       {.name = "adam", .learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-4}},
      {"adamw", {.name = "adamw", .learning_rate = 0.01, .weight_decay = 0.1}},
      {"lamb", {.name = "lamb", .learning_rate = 0.01, .weight_decay = 0.1}},
  };
  return kCases;
}

/// Weights of `elements` parameters after kSteps, every step in slices of `slice` elements.
/// Gradients are sums of two workers.
std::vector<float> trained(const OptimizerSpec& spec, std::size_t elements, std::size_t slice) {
  std::vector<float> weights;
  run_loopback(1, [&](Worker& worker) {
    const View w = worker.allocate(elements, DType::kFloat32).view();
    const View g = worker.allocate(elements, DType::kFloat32).view();
    for (std::size_t i = 0; i < elements; ++i) w.floats()[i] = chirp(i);
    Optimizer optimizer(spec, worker, elements);
    for (int step = 1; step <= kSteps; ++step) {
      for (std::size_t i = 0; i < elements; ++i) g.floats()[i] = 2 * chirp(elements * step + i);
      optimizer.begin_step(spec.learning_rate);
      for (std::size_t at = 0; optimizer.is_layer_wise() && at < elements; at += slice) {
        const std::size_t count = std::min(slice, elements - at);
        optimizer.measure(worker, w.slice(at, count), g.slice(at, count), at, 0.5F);
      }
      for (std::size_t at = 0; at < elements; at += slice) {
        const std::size_t count = std::min(slice, elements - at);
        optimizer.step(worker, w.slice(at, count), g.slice(at, count), at, 0.5F);
      }
    }
    weights.assign(w.floats().begin(), w.floats().end());
  });
  return weights;
}

std::map<std::string, std::vector<float>> reference() {
  std::map<std::string, std::vector<float>> weights;
  std::ifstream file(TANDEM_CORE_TEST_FOLDER "/training/optimizer_reference.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (float weight; words >> weight;) weights[name].push_back(weight);
  }
  return weights;
}

TEST(Optimizer, AgreesWithTheReference) {
  const auto expected = reference();
  ASSERT_EQ(expected.size(), cases().size());
  for (const auto& [name, spec] : cases()) {
    const std::vector<float>& theirs = expected.at(name);
    ASSERT_EQ(theirs.size(), 12U);
    const std::vector<float> ours = trained(spec, theirs.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_NEAR(ours[i], theirs[i], 1e-6) << name << " element " << i;
    }
  }
}

TEST(Optimizer, HasTheSameBitsHoweverTheArenaIsCut) {
  for (const auto& [name, spec] : cases()) {
    const std::vector<float> whole = trained(spec, 1003, 1003);
    for (const std::size_t slice : {1, 7, 64, 500}) {
      EXPECT_EQ(trained(spec, 1003, slice), whole) << name << " in slices of " << slice;
    }
  }
}

TEST(Optimizer, UpdatesOnlyItsSlice) {
  run_loopback(1, [](Worker& worker) {
    const Buffer parameters = worker.allocate(3, DType::kFloat32);
    const Buffer gradients = worker.allocate(3, DType::kFloat32);
    for (float& gradient : gradients.view().floats()) gradient = 1;
    Optimizer optimizer({.name = "sgd", .learning_rate = 1, .momentum = 0.5}, worker, 3);
    optimizer.begin_step(1);
    optimizer.step(worker, parameters.view().slice(1, 1), gradients.view().slice(1, 1), 1, 1);
    EXPECT_EQ(parameters.view().floats()[0], 0);
    EXPECT_EQ(parameters.view().floats()[1], -1);
    EXPECT_EQ(parameters.view().floats()[2], 0);
  });
}

TEST(Optimizer, KeepsStateForItsShardAlone) {
  // The second half by an optimizer of that half has the bits of one optimizer of the whole.
  const OptimizerSpec spec = cases().at("adam");
  const std::vector<float> whole = trained(spec, 100, 100);
  run_loopback(1, [&](Worker& worker) {
    const View w = worker.allocate(50, DType::kFloat32).view();
    const View g = worker.allocate(50, DType::kFloat32).view();
    for (std::size_t i = 0; i < 50; ++i) w.floats()[i] = chirp(50 + i);
    Optimizer shard(spec, worker, 50);
    for (int step = 1; step <= kSteps; ++step) {
      for (std::size_t i = 0; i < 50; ++i) g.floats()[i] = 2 * chirp(100 * step + 50 + i);
      shard.begin_step(spec.learning_rate);
      shard.step(worker, w, g, 0, 0.5F);
    }
    EXPECT_TRUE(std::equal(w.floats().begin(), w.floats().end(), whole.begin() + 50));
  });
}

TEST(Optimizer, ASkippedStepLeavesNoTrace) {
  const OptimizerSpec spec = cases().at("adam");
  run_loopback(1, [&](Worker& worker) {
    const View w = worker.allocate(1, DType::kFloat32).view();
    const View g = worker.allocate(1, DType::kFloat32).view();
    g.floats()[0] = 1;
    Optimizer optimizer(spec, worker, 1);
    optimizer.begin_step(0.01);
    optimizer.skip_step();
    EXPECT_EQ(optimizer.steps(), 0);
    optimizer.begin_step(0.01);
    optimizer.step(worker, w, g, 0, 1);
    EXPECT_NEAR(w.floats()[0], -0.01, 1e-7);  // Adam's first step is the learning rate
  });
}

}  // namespace
}  // namespace tandem
