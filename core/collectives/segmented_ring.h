#pragma once

#include "core/collectives/all_reduce.h"

namespace tandem {

/// Segmented ring all-reduce (Pjesivac-Grbovic et al., "Performance analysis of MPI collective
/// operations", Cluster Computing 2007; as in Open MPI): the ring's reduce-scatter in phases, each
/// with at most `segment_elements` of every chunk, so that what comes in is added while it is in
/// the cache; then the ring's all-gather. It costs (phases - 1)(N-1) latencies more than the ring,
/// sends as much, and gives the ring's bits. Requires a segment of an element at least.
ScheduleFactory segmented_ring(std::size_t segment_elements);

}  // namespace tandem
