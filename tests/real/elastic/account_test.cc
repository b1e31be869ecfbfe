#include "real/elastic/account.h"

#include <gtest/gtest.h>

namespace tandem::elastic {
namespace {

using enum JobMoment;

/// Trains from `begin` on, a second an iteration of which an eighth is nobody's; a checkpoint after
/// every second one takes a quarter.
std::vector<JournalEntry> training(Seconds begin, int first, int last) {
  std::vector<JournalEntry> journal = {{begin, kBegins, first}};
  Seconds now = begin;
  for (int iteration = first + 1; iteration <= last; ++iteration) {
    journal.push_back({now += 1, kIterates, iteration, 0.875});
    if (iteration % 2 == 1) continue;
    journal.push_back({now, kWrites, iteration});
    journal.push_back({now += 0.25, kWritten, iteration});
  }
  return journal;
}

void add(std::vector<JournalEntry>& journal, const std::vector<JournalEntry>& more) {
  journal.insert(journal.end(), more.begin(), more.end());
}

Seconds sum_of(const FailedJob& job) {
  return job.training + job.lost_work + job.detection + job.restart + job.read + job.write +
         job.held_up + job.between;
}

// 1000 s is when it begins to train, and 0 of the job.
TEST(Account, OfAJobThatNobodyLeavesIsItsTraining) {
  const FailedJob job = account({{.workers = 2,
                                  .journal = training(1000, 0, 3),
                                  .end = End::kDone,
                                  .ended = 1009,
                                  .kept = 3}});
  EXPECT_DOUBLE_EQ(job.training, 3 * 0.875);
  EXPECT_DOUBLE_EQ(job.write, 0.25);
  EXPECT_DOUBLE_EQ(job.total, 3.25);
  EXPECT_DOUBLE_EQ(job.between, 3 * 0.125);
  EXPECT_EQ(job.restart + job.detection + job.read + job.lost_work, 0);
}

// The last one, whether complete or not, is written after the training's end.
TEST(Account, ACheckpointAfterTheLastIterationIsNoPartOfIt) {
  const FailedJob job = account({{.workers = 2,
                                  .journal = training(1000, 0, 4),
                                  .end = End::kDone,
                                  .ended = 1009,
                                  .kept = 4}});
  EXPECT_DOUBLE_EQ(job.write, 0.25);
  EXPECT_DOUBLE_EQ(job.total, 4.25);
}

// Saved after 2 iterations, at 1002.25; fails at 1003.5 in the fourth; found out at 1004.5; reads
// from 1006.5 to 1007, one worker fewer.
std::vector<Stretch> with_a_loss() {
  Stretch first{
      .workers = 2, .journal = training(1000, 0, 3), .end = End::kLost, .ended = 1004.5, .kept = 2};
  first.journal.push_back({1003.5, kFails, 1});
  Stretch second{.workers = 1,
                 .first = 2,
                 .journal = {{1006.5, kReads, 2}},
                 .end = End::kDone,
                 .ended = 1020,
                 .kept = 4};
  add(second.journal, training(1007, 2, 4));
  return {first, second};
}

TEST(Account, OfALossHasEveryPart) {
  const FailedJob job = account(with_a_loss());
  EXPECT_DOUBLE_EQ(job.lost_work, 1.25);
  EXPECT_DOUBLE_EQ(job.detection, 1);
  EXPECT_DOUBLE_EQ(job.restart, 2);
  EXPECT_DOUBLE_EQ(job.read, 0.5);
  EXPECT_DOUBLE_EQ(job.write, 0.25);
  EXPECT_DOUBLE_EQ(job.training, 4 * 0.875);
  EXPECT_DOUBLE_EQ(job.total, 9);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

TEST(Account, SaysWhatEachStopTook) {
  const RecoverySpec costs = mean_costs(with_a_loss(), account(with_a_loss()));
  EXPECT_DOUBLE_EQ(costs.detection, 1);
  EXPECT_DOUBLE_EQ(costs.restart, 2);
  EXPECT_DOUBLE_EQ(costs.read, 0.5);
  EXPECT_DOUBLE_EQ(costs.write, 0.125);  // of two, the last of which is no part of the job
}

TEST(Account, WithoutACheckpointAllIsLost) {
  Stretch first{.workers = 2,
                .journal = {{1000, kBegins, 0}, {1001, kIterates, 1, 0.9}},
                .end = End::kLost,
                .ended = 1003,
                .kept = 0};
  Stretch second{
      .workers = 2, .journal = training(1005, 0, 1), .end = End::kDone, .ended = 1007, .kept = 1};
  const FailedJob job = account({first, second});
  EXPECT_DOUBLE_EQ(job.lost_work, 1);  // until its last sign of life
  EXPECT_DOUBLE_EQ(job.detection, 2);
  EXPECT_DOUBLE_EQ(job.restart, 2);
  EXPECT_EQ(job.read, 0);
  EXPECT_DOUBLE_EQ(job.training, 0.875);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

// It ends after the checkpoint of 1002.25; the next begins to train at 1004.
TEST(Account, TakingSomebodyBackCostsARestart) {
  Stretch first{.workers = 1,
                .journal = training(1000, 0, 2),
                .end = End::kTakesBack,
                .ended = 1002.5,
                .kept = 2};
  Stretch second{.workers = 2,
                 .first = 2,
                 .journal = {{1003.5, kReads, 2}},
                 .end = End::kDone,
                 .ended = 1010,
                 .kept = 3};
  add(second.journal, training(1004, 2, 3));
  const FailedJob job = account({first, second});
  EXPECT_EQ(job.lost_work + job.detection, 0);
  EXPECT_DOUBLE_EQ(job.restart, 1.25);
  EXPECT_DOUBLE_EQ(job.read, 0.5);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

TEST(Account, AJobThatFailsBeforeItTrainsWasARestart) {
  std::vector<Stretch> stretches = with_a_loss();
  Stretch vain{.workers = 2,
               .first = 2,
               .journal = {{1005, kFails, 0}},
               .end = End::kLost,
               .ended = 1005.5,
               .kept = 2};
  stretches.insert(stretches.begin() + 1, vain);
  const FailedJob job = account(stretches);
  EXPECT_DOUBLE_EQ(job.detection, 1.5);
  EXPECT_DOUBLE_EQ(job.restart, 0.5 + 1);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

TEST(Account, UndisturbedIsAsManyIterationsOfAllWorkers) {
  const std::vector<Stretch> stretches = with_a_loss();
  EXPECT_EQ(whole_iterations(stretches, 2, 1).size(), 1);  // of two that count, one warms up
  EXPECT_DOUBLE_EQ(undisturbed(stretches, 2, 1, 5), 5 * 0.875);
}

// The first iteration takes 3 s, and all others 0.875.
TEST(Account, UndisturbedHasTheWarmUpAsItWasAndNoneWhereItWasDoneBefore) {
  Stretch whole{
      .workers = 2, .journal = training(1000, 0, 4), .end = End::kDone, .ended = 1020, .kept = 4};
  whole.journal[1].duration = 3;
  EXPECT_DOUBLE_EQ(undisturbed({whole}, 2, 2, 4), 3 + 3 * 0.875);
  const Stretch resumed{.workers = 2,
                        .first = 10,
                        .journal = training(1000, 10, 14),
                        .end = End::kDone,
                        .ended = 1020,
                        .kept = 14};
  EXPECT_DOUBLE_EQ(undisturbed({resumed}, 2, 2, 4), 4 * 0.875);
  Stretch in_vain = whole;
  in_vain.end = End::kLost;
  in_vain.kept = 0;
  EXPECT_DOUBLE_EQ(undisturbed({in_vain, whole}, 2, 2, 4), 3 + 3 * 0.875) << "done twice";
}

// Cut off in the third iteration, which takes 4.875 s and not 0.875, and reached again.
TEST(Account, APartitionThatPassesHoldsAnIterationUp) {
  Stretch stretch{
      .workers = 2, .journal = training(1000, 0, 2), .end = End::kDone, .ended = 1020, .kept = 4};
  add(stretch.journal, {{1002.5, kFails, 1},
                        {1005.5, kReturns, 1},
                        {1007.25, kIterates, 3, 4.875},
                        {1008.25, kIterates, 4, 0.875}});
  EXPECT_TRUE(told_losses(stretch).empty());
  const FailedJob job = account({stretch});
  EXPECT_DOUBLE_EQ(job.held_up, 4);
  EXPECT_DOUBLE_EQ(undisturbed({stretch}, 2, 3, 4), 4 * 0.875) << "a warm-up that was held up, too";
  EXPECT_DOUBLE_EQ(job.training, 4 * 0.875);
  EXPECT_DOUBLE_EQ(job.total, 8.25);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

// Cut off while the second checkpoint is written, which takes 3.25 s and not 0.25.
TEST(Account, APartitionThatPassesHoldsACheckpointUp) {
  Stretch stretch{
      .workers = 2, .journal = training(1000, 0, 3), .end = End::kDone, .ended = 1020, .kept = 5};
  add(stretch.journal, {{1004.25, kIterates, 4, 0.875},
                        {1004.25, kWrites, 4},
                        {1004.5, kFails, 1},
                        {1007, kReturns, 1},
                        {1007.5, kWritten, 4},
                        {1008.5, kIterates, 5, 0.875}});
  const FailedJob job = account({stretch});
  EXPECT_DOUBLE_EQ(job.held_up, 3);
  EXPECT_DOUBLE_EQ(job.write, 2 * 0.25);
  EXPECT_DOUBLE_EQ(job.training, 5 * 0.875);
  EXPECT_DOUBLE_EQ(sum_of(job), job.total);
}

// A second without packets holds TCP up for 1.4 s. What ends the job after that is another loss.
TEST(Account, WhoCanBeReachedAgainInTimeWasNotLost) {
  Stretch stretch{.workers = 2,
                  .journal = training(1000, 0, 1),
                  .end = End::kLost,
                  .ended = 1009,
                  .patience = 1.5};
  add(stretch.journal, {{1001.25, kFails, 1}, {1002.25, kReturns, 1}});
  EXPECT_TRUE(told_losses(stretch).empty()) << "before anything went on";
  EXPECT_DOUBLE_EQ(time_of_loss(stretch), 1001) << "its last sign of life";
  add(stretch.journal, {{1002.5, kFails, 0}});
  ASSERT_EQ(told_losses(stretch).size(), 1);
  EXPECT_EQ(told_losses(stretch)[0].number, 0);
  EXPECT_DOUBLE_EQ(time_of_loss(stretch), 1002.5);
}

// The others gave up before anything came through again, whatever those did who don't wait for it.
TEST(Account, WhoWasWaitedForInVainWasLost) {
  Stretch stretch{.workers = 2,
                  .journal = training(1000, 0, 1),
                  .end = End::kLost,
                  .ended = 1009,
                  .patience = 1.25};
  add(stretch.journal,
      {{1001.25, kFails, 1}, {1002.25, kReturns, 1}, {1002.5, kIterates, 2, 0.875}});
  ASSERT_EQ(told_losses(stretch).size(), 1);
  EXPECT_DOUBLE_EQ(time_of_loss(stretch), 1001.25);
}

// Its second checkpoint is whole, since the member that hung went on as the job was ended.
TEST(Account, WhatWasDoneAsAHangingJobWasEndedIsPartOfFindingOut) {
  Stretch stretch{.workers = 2,
                  .journal = training(1000, 0, 3),
                  .end = End::kLost,
                  .ended = 1020,
                  .kept = 4,
                  .silent_since = 1004.25};
  add(stretch.journal,
      {{1004.25, kIterates, 4, 0.875}, {1004.25, kWrites, 4}, {1018.25, kWritten, 4}});
  EXPECT_DOUBLE_EQ(time_of_loss(stretch), 1004.25);
  const FailedJob job = account({stretch});
  EXPECT_DOUBLE_EQ(job.detection, 15.75);
  EXPECT_DOUBLE_EQ(job.write, 0.25);
  EXPECT_DOUBLE_EQ(job.lost_work, 0);
  EXPECT_DOUBLE_EQ(job.training, 4 * 0.875);
  EXPECT_DOUBLE_EQ(mean_costs({stretch}, job).write, 0.25);
}

// A test takes half a second, and the one in which a member is cut off 2 s.
TEST(Account, OfTestsOnlyWhatHoldsThemUpIsLost) {
  const auto tests = [](Seconds end, Seconds duration, int number) {
    return std::vector<JournalEntry>{{end - duration, kTests, number}, {end, kTested, number}};
  };
  Stretch stretch{.workers = 2,
                  .journal = {{1000, kBegins, 0}, {1001, kIterates, 1, 1}},
                  .end = End::kDone,
                  .ended = 1009,
                  .kept = 3};
  add(stretch.journal, tests(1001.5, 0.5, 1));
  add(stretch.journal, {{1002.5, kIterates, 2, 1}, {1003, kFails, 1}, {1003.5, kReturns, 1}});
  add(stretch.journal, tests(1004.5, 2, 2));
  add(stretch.journal, {{1005.5, kIterates, 3, 1}});
  const FailedJob job = account({stretch});
  EXPECT_DOUBLE_EQ(job.held_up, 1.5);
  EXPECT_DOUBLE_EQ(job.between, 1);
  EXPECT_DOUBLE_EQ(job.total, 5.5);
}

}  // namespace
}  // namespace tandem::elastic
