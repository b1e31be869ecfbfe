#pragma once

#include <cstddef>

namespace tandem::mpi {

/// Bytes of received numbers that are added to a buffer of `bytes` in a second, as collectives and
/// servers do it: the median over repeats on this rank. Call it on all ranks at once.
double reduction_bandwidth(std::size_t bytes);

}  // namespace tandem::mpi
