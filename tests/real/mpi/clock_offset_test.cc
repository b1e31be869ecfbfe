#include "real/mpi/clock_offset.h"

#include <gtest/gtest.h>

namespace tandem::mpi {
namespace {

constexpr Seconds kRounding = 1e-9;  // of a time since the machine began, in a double

struct Reading {
  Seconds time = 0;
  Seconds uncertainty = kForever;
};

/// When `clock` was made, by the clock that all processes of the machine share: it is read between
/// two looks at that one, as often as it takes for them to be close, since a process can be stopped
/// between any two.
Reading beginning(const Clock& clock) {
  const auto shared = [] {
    return std::chrono::duration<Seconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  Reading best;
  for (int look = 0; look < 100; ++look) {
    const Seconds before = shared(), now = clock.now(), after = shared();
    if ((after - before) / 2 < best.uncertainty)
      best = {.time = (before + after) / 2 - now, .uncertainty = (after - before) / 2};
  }
  return best;
}

TEST(ClockOffset, IsWithinItsUncertainty) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    if (rank % 2 == 1) MPI_Barrier(MPI_COMM_WORLD);  // so that the clocks begin apart
    const Clock clock;
    if (rank % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
    const Reading own = beginning(clock);
    Reading first = own;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    const ClockOffset offset = clock_offset(MPI_COMM_WORLD, clock);
    EXPECT_NEAR(offset.ahead, first.time - own.time,
                offset.uncertainty + first.uncertainty + own.uncertainty + kRounding);
    EXPECT_LT(offset.uncertainty, 1);
    EXPECT_TRUE(rank > 0 || offset.ahead == 0);
  }
}

// Ahead by 1 s at 10 s, and by 3 s at 30 s.
TEST(ClockOffset, IsTakenFromSpansInProportion) {
  MemberResult member;
  member.spans = {{.lane = Lane::kCompute, .name = "a", .begin = 10, .end = 30}};
  member.program = {{.begin = 20, .end = 40}};
  align(member, {.at = 10, .ahead = 1, .uncertainty = 1e-6},
        {.at = 30, .ahead = 3, .uncertainty = 2e-6});
  EXPECT_DOUBLE_EQ(member.spans[0].begin, 9);
  EXPECT_DOUBLE_EQ(member.spans[0].end, 27);
  EXPECT_DOUBLE_EQ(member.program[0].begin, 18);
  EXPECT_DOUBLE_EQ(member.program[0].end, 36);
  EXPECT_DOUBLE_EQ(member.clock.drift, 0.1);
  EXPECT_EQ(member.clock.uncertainty, 2e-6);
}

}  // namespace
}  // namespace tandem::mpi
