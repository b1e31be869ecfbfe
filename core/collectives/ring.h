#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// Ring all-reduce (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", JPDC 2009): N-1 rounds of reduce-scatter, then N-1 rounds of all-gather, each
/// passing one of N chunks to the next rank. Every rank sends 2(N-1)/N of the buffer, which is the
/// least any all-reduce can. Sums are formed in ring order, so all ranks end with the same bits.
std::unique_ptr<const Schedule> ring_all_reduce(int ranks, int rank, std::size_t elements);

}  // namespace tandem
