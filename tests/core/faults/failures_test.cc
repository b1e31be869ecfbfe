#include "core/faults/failures.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace tandem {
namespace {

using testing::HasSubstr;

/// Every iteration takes 1 s, whoever takes part.
std::vector<Seconds> a_second_each(const TrainingStretch& stretch) {
  return std::vector<Seconds>(static_cast<std::size_t>(stretch.iterations), 1.0);
}

Seconds sum_of(const FailedJob& job) {
  return job.training + job.lost_work + job.detection + job.restart + job.read + job.write +
         job.held_up;
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

Failure partition(int rank, Seconds at, Seconds back, Seconds patience) {
  Failure failure = of_worker(rank, at, back);
  failure.is_partition = true;
  failure.patience = patience;
  return failure;
}

// Retransmissions come 0.2, 0.6, 1.4, 3.0 and 6.2 s after the last packet that got through.
TEST(TcpSilence, LastsUntilTheFirstRetransmissionAfterTheOutage) {
  EXPECT_DOUBLE_EQ(tcp_silence(0), 0);
  EXPECT_DOUBLE_EQ(tcp_silence(0.1), 0.2);
  EXPECT_DOUBLE_EQ(tcp_silence(0.3), 0.6);
  EXPECT_DOUBLE_EQ(tcp_silence(1), 1.4);
  EXPECT_DOUBLE_EQ(tcp_silence(3.5), 6.2);
  EXPECT_NEAR(tcp_silence(500), 0.2 * 1023 + 120 * 3, 1e-9) << "none waits for over 120 s";
}

// Over after a second, but the next packet goes after 1.4; the iteration under way waits for it.
TEST(Partitions, ThatNobodyGivesUpForHoldAllUp) {
  const RecoverySpec recovery{.checkpoint_every = 4, .detection = 1, .restart = 2};
  const FailedJob job =
      go_through_failures({partition(1, 2.5, 3.5, 10)}, recovery, 2, 10, 1, a_second_each);
  EXPECT_NEAR(job.held_up, 1.4, 1e-12);
  EXPECT_DOUBLE_EQ(job.total, 11.4);
  EXPECT_EQ(job.lost_work + job.detection + job.restart, 0);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
  EXPECT_TRUE(job.struck[0]);
}

// They wait for 1.2 s: longer than the outage, but not than until the next packet.
TEST(Partitions, AreDetectedWhenTheOthersHaveWaitedLongEnough) {
  const RecoverySpec recovery{.checkpoint_every = 2, .detection = 1, .restart = 2, .read = 3};
  const FailedJob job =
      go_through_failures({partition(1, 2.5, 3.5, 1.2)}, recovery, 2, 10, 1, a_second_each);
  EXPECT_DOUBLE_EQ(job.detection, 1.2 + 1);
  EXPECT_DOUBLE_EQ(job.lost_work, 0.5);
  EXPECT_EQ(job.held_up, 0);
  EXPECT_DOUBLE_EQ(job.training, 10) << "it is back before the others have started anew";
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
  EXPECT_THAT(describe(job).dump(), HasSubstr("rank 1 is cut off"));
}

TEST(Partitions, PutOffACheckpointThatIsBeingWritten) {
  const RecoverySpec recovery{.checkpoint_every = 2, .write = 1};
  const FailedJob job =
      go_through_failures({partition(0, 2.5, 2.6, 10)}, recovery, 2, 4, 1, a_second_each);
  EXPECT_NEAR(job.held_up, 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(job.write, 1);
  EXPECT_DOUBLE_EQ(job.total, 5.2);
}

}  // namespace
}  // namespace tandem
