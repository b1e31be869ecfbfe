#include "real/mpi/clock_offset.h"

#include <sched.h>

#include <algorithm>

#include "real/mpi/check.h"

namespace tandem::mpi {
namespace {

constexpr int kTrips = 32;
constexpr int kTag = 0;

/// Gives the core away between two looks: the other rank may need it to answer.
void receive(void* data, int count, MPI_Datatype type, int rank, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Irecv(data, count, type, rank, kTag, comm, &request), "MPI_Irecv");
  for (int is_here = 0; is_here == 0;) {
    check(MPI_Test(&request, &is_here, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_here == 0) sched_yield();
  }
}

void answer(MPI_Comm comm, const Clock& clock, int rank) {
  for (int trip = 0; trip < kTrips; ++trip) {
    receive(nullptr, 0, MPI_BYTE, rank, comm);
    const Seconds now = clock.now();
    check(MPI_Send(&now, 1, MPI_DOUBLE, rank, kTag, comm), "MPI_Send");
  }
}

ClockOffset ask(MPI_Comm comm, const Clock& clock) {
  ClockOffset best{.at = 0, .ahead = 0, .uncertainty = kForever};
  for (int trip = 0; trip < kTrips; ++trip) {
    const Seconds begin = clock.now();
    Seconds there = 0;
    check(MPI_Send(nullptr, 0, MPI_BYTE, 0, kTag, comm), "MPI_Send");
    receive(&there, 1, MPI_DOUBLE, 0, comm);
    const Seconds end = clock.now();
    const Seconds middle = (begin + end) / 2;
    if ((end - begin) / 2 < best.uncertainty)
      best = {.at = middle, .ahead = middle - there, .uncertainty = (end - begin) / 2};
  }
  return best;
}

}  // namespace

ClockOffset clock_offset(MPI_Comm comm, const Clock& clock) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  if (rank > 0) return ask(comm, clock);
  for (int other = 1; other < size; ++other) answer(comm, clock, other);
  return {.at = clock.now(), .ahead = 0, .uncertainty = 0};
}

void align(MemberResult& member, const ClockOffset& first, const ClockOffset& last) {
  const Seconds between = last.at - first.at;
  const double drift = between > 0 ? (last.ahead - first.ahead) / between : 0;
  const auto move = [&](Seconds& time) { time -= first.ahead + drift * (time - first.at); };
  for (Span& span : member.spans) {
    move(span.begin);
    move(span.end);
  }
  for (Step& step : member.program) {
    move(step.begin);
    move(step.end);
  }
  member.clock = {.ahead = first.ahead,
                  .drift = drift,
                  .uncertainty = std::max(first.uncertainty, last.uncertainty)};
}

}  // namespace tandem::mpi
