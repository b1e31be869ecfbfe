#include "core/strategies/pipeline/pass_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tandem {
namespace {

using enum PipelineSchedule;

/// "F0 B0 F1 B1".
std::string written(const std::vector<MicroBatchPass>& order) {
  std::string text;
  for (const MicroBatchPass& pass : order) {
    text += text.empty() ? "" : " ";
    text += (pass.phase == Phase::kForward ? "F" : "B") + std::to_string(pass.micro_batch);
  }
  return text;
}

// As Narayanan et al. draw it (ICML 2021; SC21, "Efficient large-scale language model training on
// GPU clusters"): stages 0, 2 and 3 of 4, with as many micro-batches, and with twice as many.
TEST(PassOrder, Of1F1BIsThePapers) {
  EXPECT_EQ(written(pass_order(kOneFOneB, 4, 0, 4)), "F0 F1 F2 F3 B0 B1 B2 B3");
  EXPECT_EQ(written(pass_order(kOneFOneB, 4, 2, 4)), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(written(pass_order(kOneFOneB, 4, 3, 4)), "F0 B0 F1 B1 F2 B2 F3 B3");
  EXPECT_EQ(written(pass_order(kOneFOneB, 4, 0, 8)),
            "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
}

TEST(PassOrder, OfGPipeIsAllForwardThenAllBackward) {
  for (const int stage : {0, 1, 2}) {
    EXPECT_EQ(written(pass_order(kGPipe, 3, stage, 4)), "F0 F1 F2 F3 B0 B1 B2 B3");
  }
}

TEST(PassOrder, OfOneMicroBatchIsPlainModelParallelism) {
  for (const PipelineSchedule schedule : {kGPipe, kOneFOneB}) {
    for (const int stage : {0, 1, 2}) {
      EXPECT_EQ(written(pass_order(schedule, 3, stage, 1)), "F0 B0");
    }
  }
}

TEST(PassOrder, TakesEveryMicroBatchForwardAndBackwardInTheirOrder) {
  for (const PipelineSchedule schedule : {kGPipe, kOneFOneB}) {
    for (const int stages : {1, 2, 3, 7}) {
      for (const int micro_batches : {1, 2, 5, 16}) {
        for (int stage = 0; stage < stages; ++stage) {
          int forward = 0, backward = 0;
          for (const MicroBatchPass& pass : pass_order(schedule, stages, stage, micro_batches)) {
            EXPECT_EQ(pass.micro_batch, pass.phase == Phase::kForward ? forward++ : backward++);
            EXPECT_LE(backward, forward);
          }
          EXPECT_EQ(forward, micro_batches);
          EXPECT_EQ(backward, micro_batches);
        }
      }
    }
  }
}

TEST(PassOrder, HoldsAtMostAsManyMicroBatchesAsThereAreStagesToCome) {
  for (const int stages : {1, 2, 4, 8}) {
    for (const int micro_batches : {1, 3, 8, 32}) {
      for (int stage = 0; stage < stages; ++stage) {
        EXPECT_EQ(most_in_flight(pass_order(kOneFOneB, stages, stage, micro_batches)),
                  std::min(stages - stage, micro_batches));
        EXPECT_EQ(most_in_flight(pass_order(kGPipe, stages, stage, micro_batches)), micro_batches);
      }
    }
  }
}

}  // namespace
}  // namespace tandem
