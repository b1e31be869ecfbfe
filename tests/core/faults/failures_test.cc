#include "core/faults/failures.h"

#include <gmock/gmock.h>

#include "core/base/error.h"

namespace tandem {
namespace {

using testing::HasSubstr;

/// Every iteration takes 1 s, whoever takes part.
std::vector<Seconds> a_second_each(const TrainingStretch& stretch) {
  return std::vector<Seconds>(static_cast<std::size_t>(stretch.iterations), 1.0);
}

Seconds sum_of(const FailedJob& job) {
  return job.training + job.lost_work + job.detection + job.restart + job.read + job.write;
}

Failure of_worker(int rank, Seconds at, Seconds back = kForever) {
  return {.label = "rank " + std::to_string(rank),
          .at = at,
          .back = back,
          .workers = {rank},
          .servers = {}};
}

TEST(Failures, NoneLeaveTheTrainingAsItIs) {
  const FailedJob job = go_through_failures({}, {}, 4, 10, 1, a_second_each);
  EXPECT_EQ(job.total, 10);
  EXPECT_EQ(job.training, 10);
  EXPECT_EQ(sum_of(job), job.total);
}

TEST(Failures, CheckpointsTakeTheirTime) {
  const RecoverySpec recovery{.checkpoint_every = 3, .write = 0.5};
  const FailedJob job = go_through_failures({}, recovery, 4, 10, 1, a_second_each);
  EXPECT_EQ(job.write, 3 * 0.5);
  EXPECT_EQ(job.total, 11.5);
}

// Fails in iteration 5, of which 4 are done: with no checkpoint, all four and a half are lost.
TEST(Failures, WithoutACheckpointTheJobStartsOver) {
  const RecoverySpec recovery{.detection = 2, .restart = 3, .read = 7};
  const Failure server{.label = "host s", .at = 4.5, .workers = {}, .servers = {9}};
  const FailedJob job = go_through_failures({server}, recovery, 4, 10, 1, a_second_each);
  EXPECT_EQ(job.lost_work, 4.5);
  EXPECT_EQ(job.detection, 2);
  EXPECT_EQ(job.restart, 3);
  EXPECT_EQ(job.read, 0) << "there is nothing to read";
  EXPECT_EQ(job.training, 10);
  EXPECT_EQ(job.total, 19.5);
  EXPECT_TRUE(job.struck[0]);
}

// A checkpoint after 4 iterations; 5.5 s in, one and a half are lost; three of four workers take
// ceil(6 * 4/3) = 8 iterations for the other six.
TEST(Failures, FewerWorkersTakeMoreIterations) {
  const RecoverySpec recovery{.checkpoint_every = 4, .detection = 1, .restart = 2, .read = 3};
  const FailedJob job = go_through_failures({of_worker(3, 5.5)}, recovery, 4, 10, 1, a_second_each);
  EXPECT_EQ(job.lost_work, 1.5);
  EXPECT_EQ(job.training, 4 + 8);
  EXPECT_EQ(job.read, 3);
  EXPECT_EQ(job.total, 4 + 1.5 + 6 + 8);
  EXPECT_EQ(sum_of(job), job.total);
}

// Back at 8.5 s, when the other has just begun again after 4 iterations: it writes the next
// checkpoint after two of its own, at 10 s, and both go on.
TEST(Failures, ReturningHostsTakePartFromTheNextCheckpointOn) {
  const RecoverySpec recovery{.checkpoint_every = 2, .restart = 3};
  std::vector<TrainingStretch> stretches;
  const FailedJob job = go_through_failures({of_worker(1, 5, 8.5)}, recovery, 2, 10, 1,
                                            [&](const TrainingStretch& stretch) {
                                              stretches.push_back(stretch);
                                              return a_second_each(stretch);
                                            });
  ASSERT_EQ(stretches.size(), 3U);
  EXPECT_EQ(stretches[0].workers, (std::vector{0, 1}));
  EXPECT_EQ(stretches[1].begin, 8);
  EXPECT_EQ(stretches[1].workers, (std::vector{0}));
  EXPECT_EQ(stretches[2].begin, 8 + 2 + 3);
  EXPECT_EQ(stretches[2].workers, (std::vector{0, 1}));
  EXPECT_EQ(stretches[2].first_iteration, 4 + 1 + 2);
  EXPECT_EQ(job.training, 4 + 2 + 5);  // two by one worker are as much as one by both
  EXPECT_EQ(job.lost_work, 1);
  EXPECT_EQ(sum_of(job), job.total);
}

TEST(Failures, TwoAddUp) {
  const RecoverySpec recovery{
      .checkpoint_every = 2, .write = 0.25, .detection = 1, .restart = 2, .read = 0.5};
  const FailedJob job = go_through_failures({of_worker(3, 3.0), of_worker(2, 20.0)}, recovery, 4,
                                            20, 1, a_second_each);
  EXPECT_EQ(job.detection, 2);
  EXPECT_EQ(job.restart, 4);
  EXPECT_EQ(job.read, 1);
  EXPECT_TRUE(job.struck[0] && job.struck[1]);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

TEST(Failures, OneWhileAllStandStillIsFoundAtTheRestart) {
  const RecoverySpec recovery{.detection = 5, .restart = 5};
  const FailedJob job =
      go_through_failures({of_worker(3, 1.0), of_worker(2, 4.0)}, recovery, 4, 2, 1, a_second_each);
  EXPECT_EQ(job.detection, 5);
  EXPECT_EQ(job.training, 4);  // of two workers
  EXPECT_TRUE(job.struck[1]);
}

TEST(Failures, AfterTheEndStrikeNobody) {
  const FailedJob job = go_through_failures({of_worker(3, 10.0)}, {}, 4, 10, 1, a_second_each);
  EXPECT_EQ(job.total, 10);
  EXPECT_FALSE(job.struck[0]);
}

TEST(Failures, ThatLeaveTooFewAreAnError) {
  const RecoverySpec recovery{.min_workers = 2};
  try {
    go_through_failures({of_worker(1, 3.0)}, recovery, 2, 10, 1, a_second_each);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1 fails and leaves 1 worker at 3 s, fewer than "
                                        "faults.recovery.min_workers, which is 2"));
  }
}

TEST(Failures, WholePipelinesGoOn) {
  std::vector<int> left;
  const auto run = [&](const TrainingStretch& stretch) {
    left = stretch.workers;
    return a_second_each(stretch);
  };
  go_through_failures({of_worker(2, 1.5)}, {}, 6, 4, 2, run);
  EXPECT_EQ(left, (std::vector{0, 1, 3, 4}));
  EXPECT_THROW(go_through_failures({of_worker(2, 1.5)}, {}, 4, 4, 4, run), InputError);
}

}  // namespace
}  // namespace tandem
