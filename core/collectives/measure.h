#pragma once

#include "core/collectives/choose.h"
#include "core/comm/worker.h"

namespace tandem {

/// Measures a network in a fraction of a second, for choose_all_reduce(): in each of the patterns
/// all ranks send small and large messages at once, each rank takes the median time of each, and
/// the slowest rank counts. `adding_bandwidth` is this rank's, bytes/s. Every rank calls it at the
/// same time, and all get the same figures. Throws PeerLost.
NetworkFigures measure_network(Worker& worker, const AllReduceOptions& options,
                               double adding_bandwidth);

}  // namespace tandem
