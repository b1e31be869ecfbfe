#include "core/record/steady_state.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr int kWarmup = 2;
constexpr int kPeriod = 2;

/// Iterations of 3 and 5 s in turn, 100 and 200 bytes; the warm-up and the last are other ones.
MemberResult member(int iterations) {
  MemberResult member;
  Seconds now = 0;
  for (int i = 0; i < iterations; ++i) {
    const bool is_last = i + 1 == iterations;
    const Seconds time = i < kWarmup ? 10 : is_last ? 1 : i % 2 == 0 ? 3 : 5;
    IterationRecord record;
    record.begin = now;
    record.end = now += time;
    record.compute = time / 2;
    record.traffic.sent_bytes = i % 2 == 0 ? 100 : 200;
    member.traffic = member.traffic + record.traffic;
    member.iterations.push_back(record);
  }
  return member;
}

TEST(SteadyState, LeavesOutWholePeriods) {
  for (const int iterations : {18, 19, 100, 101}) {
    const auto state = steady_state(iterations, kWarmup, kPeriod);
    ASSERT_TRUE(state) << iterations;
    EXPECT_EQ(state->iterations + state->repeats * state->period, iterations);
    EXPECT_GE(state->iterations, kWarmup + 3 * kPeriod + 1);
    EXPECT_LE(state->iterations, kWarmup + 4 * kPeriod);
  }
  EXPECT_FALSE(steady_state(17, kWarmup, kPeriod));
  EXPECT_FALSE(steady_state(0, 0, 1));
}

TEST(SteadyState, KeepsTheIterationsThatAreNeeded) {
  EXPECT_EQ(steady_state(60, kWarmup, 1, 20)->iterations, kWarmup + 20 + 1);
  EXPECT_EQ(steady_state(60, kWarmup, 1, 2)->iterations, steady_state(60, kWarmup, 1)->iterations);
  EXPECT_FALSE(steady_state(60, kWarmup, 1, 30));
}

TEST(SteadyState, PutsInWhatWasLeftOut) {
  for (const int iterations : {40, 41}) {
    const auto state = steady_state(iterations, kWarmup, kPeriod);
    ASSERT_TRUE(state);
    std::vector<MemberResult> members = {member(state->iterations)};
    ASSERT_TRUE(is_steady(members, *state));
    extrapolate(members, *state);
    const MemberResult whole = member(iterations);
    ASSERT_EQ(members[0].iterations.size(), whole.iterations.size());
    for (int i = 0; i < iterations; ++i) {
      EXPECT_DOUBLE_EQ(members[0].iterations[i].begin, whole.iterations[i].begin) << i;
      EXPECT_DOUBLE_EQ(members[0].iterations[i].end, whole.iterations[i].end) << i;
      EXPECT_EQ(members[0].iterations[i].traffic.sent_bytes,
                whole.iterations[i].traffic.sent_bytes);
    }
    EXPECT_EQ(members[0].traffic.sent_bytes, whole.traffic.sent_bytes);
  }
}

TEST(SteadyState, IsNotWhereAMemberDrifts) {
  const auto state = steady_state(40, kWarmup, kPeriod);
  std::vector<MemberResult> members = {member(state->iterations), member(state->iterations)};
  IterationRecord& drifting = members[1].iterations[state->iterations - 2];
  drifting.compute *= 1 + 10 * kSteadyTolerance;
  EXPECT_FALSE(is_steady(members, *state));
  drifting.compute /= 1 + 10 * kSteadyTolerance;
  EXPECT_TRUE(is_steady(members, *state));
  drifting.end += 0.1;
  EXPECT_FALSE(is_steady(members, *state));
}

}  // namespace
}  // namespace tandem
