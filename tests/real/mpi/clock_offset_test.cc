#include "real/mpi/clock_offset.h"

#include <gtest/gtest.h>

namespace tandem::mpi {
namespace {

/// When `clock` was made, by the clock that all processes of the machine share.
Seconds beginning(const Clock& clock) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<Seconds>(now).count() - clock.now();
}

TEST(ClockOffset, IsWithinItsUncertainty) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    if (rank % 2 == 1) MPI_Barrier(MPI_COMM_WORLD);  // so that the clocks begin apart
    const Clock clock;
    if (rank % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
    Seconds of_first = beginning(clock);
    MPI_Bcast(&of_first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const ClockOffset offset = clock_offset(MPI_COMM_WORLD, clock);
    constexpr Seconds kRead = 20e-6;  // between the two looks of beginning()
    EXPECT_NEAR(offset.ahead, of_first - beginning(clock), offset.uncertainty + kRead);
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
