#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// All-reduce by recursive vector halving with distance doubling, then back (Rabenseifner 2004;
/// Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
/// IJHPCA 2005, section 4.5): 2 log2 N rounds, and as many bytes as the ring; for other numbers of
/// ranks see FoldingSchedule. Each sum is formed once, so all ranks end with the same bits.
std::unique_ptr<const Schedule> halving_doubling(int ranks, int rank, std::size_t elements);

}  // namespace tandem
