#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// All-reduce through one rank: all others send it all they have, which it adds in the order of the
/// ranks, and it sends each the sum (Open MPI's "basic linear"). 2(N-1) messages, the fewest there
/// can be, but N-1 times the buffer into rank 0 and out of it, and a round of its own for each that
/// it receives: for small buffers of ranks that share processors, where each message takes a turn.
std::unique_ptr<const Schedule> linear_all_reduce(int ranks, int rank, std::size_t elements);

}  // namespace tandem
