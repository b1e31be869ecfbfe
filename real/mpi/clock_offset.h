#pragma once

#include <mpi.h>

#include "core/training/experiment.h"
#include "real/mpi/clock.h"

namespace tandem::mpi {

/// How a rank's clock stood to that of rank 0.
struct ClockOffset {
  Seconds at = 0;           ///< by the rank's clock
  Seconds ahead = 0;        ///< of that of rank 0
  Seconds uncertainty = 0;  ///< `ahead` is off by no more
};

/// By the quickest of some round trips to rank 0: its reply was written within the trip, so in the
/// middle of it but for half its length (Cristian, "Probabilistic clock synchronization", 1989).
/// Collective over `comm`, rank after rank.
ClockOffset clock_offset(MPI_Comm comm, const Clock& clock);

/// Tells `member`'s spans and steps by rank 0's clock: what its own was ahead by at `first` and
/// `last`, and in proportion between them. Sets MemberResult::clock.
void align(MemberResult& member, const ClockOffset& first, const ClockOffset& last);

}  // namespace tandem::mpi
