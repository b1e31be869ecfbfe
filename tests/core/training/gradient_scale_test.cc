#include "core/training/gradient_scale.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/half.h"
#include "core/collectives/all_reduce.h"
#include "core/comm/elementwise.h"
#include "core/comm/loopback/loopback.h"
#include "core/training/gradient_norm.h"

namespace tandem {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GradientScale, AveragesOverWorkersAndPasses) {
  Scenario scenario;
  EXPECT_EQ(GradientScale(scenario).factor(0.25F), 0.25F);
  EXPECT_FALSE(GradientScale(scenario).needs_norm());
  scenario.backward_passes_per_step = 2;
  EXPECT_EQ(GradientScale(scenario).factor(0.25F), 0.125F);
}

// torch.nn.utils.clip_grad_norm_ multiplies by max_norm / (norm + 1e-6) where that is below 1.
TEST(GradientScale, ClipsTheMeanGradient) {
  Scenario scenario;
  scenario.clip_norm = 2;
  scenario.backward_passes_per_step = 2;
  GradientScale scale(scenario);
  ASSERT_TRUE(scale.needs_norm());
  EXPECT_TRUE(scale.admit(64 * 64, 0.5F));  // a mean of length 64 / (2 * 2) = 16
  EXPECT_FLOAT_EQ(scale.factor(0.5F), 0.25F * 2 / (16 + 1e-6F));
  EXPECT_TRUE(scale.admit(4 * 4, 0.5F));  // of length 1
  EXPECT_EQ(scale.factor(0.5F), 0.25F);
}

TEST(GradientScale, TakesTheLossScaleBackAndSkipsOverflows) {
  Scenario scenario;
  scenario.precision.name = "fp16";
  scenario.precision.loss_scale = {.initial = 8, .window = 100, .hysteresis = 1, .minimum = 1};
  GradientScale scale(scenario);
  ASSERT_TRUE(scale.needs_norm());
  EXPECT_EQ(scale.loss_scale(), 8);
  EXPECT_TRUE(scale.admit(1, 1));
  EXPECT_EQ(scale.factor(1), 0.125F);
  EXPECT_FALSE(scale.admit(kInfinity, 1));
  EXPECT_EQ(scale.loss_scale(), 4);
  EXPECT_TRUE(scale.admit(1, 1));
  EXPECT_EQ(scale.factor(1), 0.25F);
  EXPECT_EQ(scale.skipped_steps(), 1);
  EXPECT_FALSE(GradientScale(Scenario{}).skipped_steps());
}

TEST(GradientNorm, OfShardsPutTogetherIsThatOfTheWhole) {
  constexpr int kRanks = 3;
  constexpr std::size_t kElements = 1001;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    run_loopback(kRanks, [&](Worker& worker) {
      const View floats = worker.allocate(kElements, DType::kFloat32).view();
      for (std::size_t i = 0; i < kElements; ++i) {
        floats.floats()[i] = 1.0F / static_cast<float>(i + 1);
      }
      const View gradients = worker.allocate(kElements, dtype).view();
      convert(gradients, floats);
      GradientNorm whole(worker);
      whole.measure(gradients);
      EXPECT_NEAR(whole.square(), 1.643935, 1e-3);  // near pi^2 / 6

      const int rank = worker.group().rank;
      const Chunk shard = chunk(kElements, kRanks, rank);
      GradientNorm part(worker);
      part.measure(gradients.slice(0, 7));
      part.clear();
      part.measure(gradients.slice(shard.offset, shard.elements));
      EXPECT_LT(part.square(), whole.square());
      Handle summed =
          worker.start(all_reduce("ring")(kRanks, rank, part.sums().elements), part.sums());
      worker.wait(summed);
      EXPECT_EQ(part.square(), whole.square());
    });
  }
}

}  // namespace
}  // namespace tandem
