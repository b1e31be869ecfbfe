#pragma once

#include "core/comm/worker.h"
#include "core/network/calibration.h"

namespace tandem::mpi {

/// What it takes this rank to claim and to release memory while the other does so too: collective
/// over two. The medians of a few rounds.
MemoryRates measure_memory_rates(Worker& worker);

}  // namespace tandem::mpi
