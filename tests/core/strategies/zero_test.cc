#include "core/strategies/zero.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/comm/loopback/loopback.h"
#include "core/model/zoo.h"
#include "core/record/recorder.h"
#include "core/strategies/layer_groups.h"
#include "core/strategies/memory_use.h"
#include "tests/core/strategies/walk.h"

namespace tandem {
namespace {

constexpr int kZeroIterations = 3;

Scenario scenario_of(int stage, int workers) {
  Scenario scenario;
  scenario.model.name = "mnist_cnn";
  scenario.batch_size = 1;
  scenario.algorithm.name = "zero";
  scenario.algorithm.stage = stage;
  scenario.algorithm.bucket_bytes = 5'000;
  scenario.workers = workers;
  return scenario;
}

TEST(LayerGroups, OfAllRanksCoverTheArenaOnce) {
  const LayerGraph graph = build_model("mnist_cnn");
  for (const int ranks : {1, 2, 3, 4, 7}) {
    for (const std::size_t bucket_bytes : {0UL, 5'000UL, 1UL << 40U}) {
      std::vector<int> owners(graph.parameter_elements());
      for (int rank = 0; rank < ranks; ++rank) {
        std::size_t shard = 0;
        const auto groups = layer_groups(graph, bucket_bytes, DType::kFloat32, ranks, rank);
        for (const LayerGroup& group : groups) {
          EXPECT_EQ(group.shard_offset, shard);
          shard += group.own.elements;
          for (std::size_t i = 0; i < group.own.elements; ++i) ++owners[group.own.offset + i];
        }
      }
      EXPECT_EQ(std::ranges::count(owners, 1), std::ssize(owners)) << ranks;
    }
  }
}

TEST(LayerGroups, HoldEveryLayerThatHasParameters) {
  const LayerGraph graph = build_model("resnet50");
  const auto groups = layer_groups(graph, 1'000'000, DType::kFloat32, 2, 0);
  EXPECT_GT(groups.size(), 10U);
  const std::vector<int> by_layer = groups_by_layer(graph, groups);
  for (std::size_t i = 0; i < by_layer.size(); ++i) {
    const Layer& layer = graph.layers()[i];
    ASSERT_EQ(by_layer[i] >= 0, layer.parameter_elements > 0) << layer.name;
    if (by_layer[i] < 0) continue;
    const Bucket& bucket = groups[by_layer[i]].bucket;
    EXPECT_GE(layer.parameter_offset, bucket.offset);
    EXPECT_LE(layer.parameter_offset + layer.parameter_elements, bucket.offset + bucket.elements);
  }
}

// Stages 1 and 2 send 2(N-1)/N of the model a worker, stage 3 sends 3(N-1)/N; before it ends it
// gathers its weights once more.
TEST(Zero, SendsWhatThePaperSays) {
  const std::uint64_t model_bytes = 4 * build_model("mnist_cnn").parameter_elements();
  for (const int workers : {1, 2, 3, 4, 7}) {
    for (const int stage : {0, 1, 2, 3}) {
      std::vector<Traffic> traffic(workers);
      run_loopback(workers, [&](Worker& worker) {
        traffic[worker.group().rank] =
            walk(scenario_of(stage, workers), worker, kZeroIterations).traffic;
      });
      const std::uint64_t passes = stage < 3 ? 2 * kZeroIterations : 3 * kZeroIterations + 1;
      std::uint64_t sent = 0;
      for (const Traffic& t : traffic) {
        sent += t.sent_bytes;
        // Chunks of a group differ by one element at most.
        EXPECT_NEAR(static_cast<double>(t.sent_bytes) * workers,
                    static_cast<double>(passes * (workers - 1) * model_bytes),
                    static_cast<double>(passes) * 3 * 4 * workers);
      }
      EXPECT_EQ(sent, passes * (workers - 1) * model_bytes) << workers << " stage " << stage;
    }
  }
}

TEST(Zero, UpdatesFromTheAverage) {
  for (const int stage : {0, 1, 2, 3}) {
    std::vector<std::vector<float>> weights(3);
    Scenario scenario = scenario_of(stage, 3);
    scenario.optimizer.learning_rate = 1;
    run_loopback(3, [&](Worker& worker) {
      weights[worker.group().rank] = walk(scenario, worker, kZeroIterations).weights;
    });
    std::vector<float> initial(weights[0].size());
    initialize_parameters(build_model("mnist_cnn"), scenario.seed, initial);
    for (std::size_t i = 0; i < initial.size(); i += 97) {
      EXPECT_NEAR(weights[0][i], initial[i] - 2.0F * kZeroIterations, 1e-5);  // (1 + 2 + 3) / 3
    }
    for (const auto& others : weights) EXPECT_EQ(others, weights[0]) << stage;
  }
}

/// A model of layers that are large beside a page, each of `width` x `width` weights.
Scenario large_layers(int stage, int workers, int width = 256) {
  Scenario scenario = scenario_of(stage, workers);
  scenario.model = {
      .name = "wide", .input = Shape{1, 16, width / 16}, .classes = width, .layers = {}};
  for (int i = 0; i < 8; ++i) {
    scenario.model.layers.push_back({.name = "fc" + std::to_string(i),
                                     .kind = LayerKind::kLinear,
                                     .options = {.outputs = width},
                                     .inputs = {}});
  }
  scenario.algorithm.bucket_bytes = 1.1 * 4 * width * width;  // two layers a group
  scenario.optimizer.name = "adam";
  return scenario;
}

// What is counted as held is what the memory model predicts, byte for byte.
TEST(Zero, HoldsWhatTheMemoryModelPredicts) {
  for (const int workers : {1, 2, 3, 4, 7}) {
    for (const int stage : {0, 1, 2, 3}) {
      for (const bool overlap : {true, false}) {
        for (const int prefetch : {0, 1, 9}) {
          Scenario scenario = large_layers(stage, workers);
          scenario.algorithm.overlap = overlap;
          scenario.algorithm.prefetch = prefetch;
          const LayerGraph graph = build_model(scenario.model);
          run_loopback(workers, [&](Worker& worker) {
            const MemoryUse use = predict_memory(scenario, graph, worker.group().rank);
            EXPECT_EQ(static_cast<double>(walk(scenario, worker, 2).peak_bytes),
                      use.model_states() + use.working)
                << "stage " << stage << " of " << workers << " prefetch " << prefetch;
          });
        }
      }
    }
  }
}

TEST(Zero, HoldsAllGradientsWhileTheyAreAccumulated) {
  for (const int stage : {0, 1, 2, 3}) {
    Scenario scenario = large_layers(stage, 3);
    scenario.backward_passes_per_step = 2;
    const LayerGraph graph = build_model(scenario.model);
    const auto of_a_pass =
        4 * static_cast<double>(graph.parameter_elements());  // the loop holds it
    run_loopback(3, [&](Worker& worker) {
      const MemoryUse use = predict_memory(scenario, graph, worker.group().rank);
      EXPECT_EQ(static_cast<double>(walk(scenario, worker, 2).peak_bytes),
                use.model_states() + use.working - of_a_pass)
          << stage;
    });
  }
}

// Drawing a group's float32 weights is all that 16 bits add to what is in use.
TEST(Zero, HoldsWhatTheMemoryModelPredictsIn16Bits) {
  for (const int stage : {1, 2, 3}) {
    Scenario scenario = large_layers(stage, 4);
    scenario.precision.name = "bf16";
    const LayerGraph graph = build_model(scenario.model);
    const auto group = static_cast<double>(4 * layer_groups(scenario, graph, 0)[0].bucket.elements);
    run_loopback(4, [&](Worker& worker) {
      const MemoryUse use = predict_memory(scenario, graph, worker.group().rank);
      const auto held = static_cast<double>(walk(scenario, worker, 2).peak_bytes);
      EXPECT_GE(held, use.model_states() + use.working) << stage;
      EXPECT_LE(held, use.model_states() + use.working + group) << stage;
    });
  }
}

// The shares are the paper's, but for a chunk's odd element.
TEST(Zero, ShardsModelStatesAsThePaperSays) {
  for (const int stage : {0, 1, 2, 3}) {
    const Scenario scenario = large_layers(stage, 4);
    const LayerGraph graph = build_model(scenario.model);
    const MemoryUse paper =
        zero_model_states(static_cast<double>(graph.parameter_elements()), {4, 4, 8}, stage, 4);
    const MemoryUse ours = predict_memory(scenario, graph, 0);
    EXPECT_NEAR(ours.parameters, paper.parameters, 16);
    EXPECT_NEAR(ours.gradients, paper.gradients, 16);
    EXPECT_NEAR(ours.optimizer_state, paper.optimizer_state, 32);
  }
}

// The system's own count of the arenas' pages, and what is kept of released ones, looked at after
// every pass of every layer.
TEST(Zero, TakesMemoryOfTheSystemAsTheModelPredicts) {
  constexpr int kWorkers = 4;
  constexpr int kWidth = 768;  // whose parts are large enough for PagePool
  double before = 0;
  std::vector<float> weights;
  for (const int stage : {1, 2, 3}) {
    const Scenario scenario = large_layers(stage, kWorkers, kWidth);
    const LayerGraph graph = build_model(scenario.model);
    std::vector<std::size_t> most(kWorkers);
    std::vector<float> trained;
    run_loopback(kWorkers, [&](Worker& worker) {
      const int rank = worker.group().rank;
      Walked walked = walk(scenario, worker, 2, [&](const Replica& replica) {
        most[rank] = std::max(most[rank], resident_bytes(replica.parameters.view()) +
                                              resident_bytes(replica.gradients.view()) +
                                              worker.kept_bytes());
      });
      if (rank == 0) trained = std::move(walked.weights);
    });
    if (weights.empty()) weights = trained;
    EXPECT_TRUE(trained == weights) << "whatever was left over in memory, stage " << stage;
    // Each end of a piece may share its page with what is kept, and where a view of either arena
    // begins elsewhere than another it holds one piece of PagePool's fewer.
    const double pages = 4096.0 * 2 * 2 * 4 + 2 * (1 << 20);
    for (int rank = 0; rank < kWorkers; ++rank) {
      const MemoryUse use = predict_memory(scenario, graph, rank);
      const double predicted = use.parameters + use.gradients + use.working;
      EXPECT_LE(static_cast<double>(most[rank]), predicted + pages) << "stage " << stage;
      EXPECT_GE(static_cast<double>(most[rank]), 0.7 * predicted) << "stage " << stage;
    }
    if (before > 0) {
      EXPECT_LT(static_cast<double>(most[0]), 0.9 * before) << "stage " << stage;
    }
    before = static_cast<double>(most[0]);
  }
}

}  // namespace
}  // namespace tandem
