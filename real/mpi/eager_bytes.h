#pragma once

#include <cstddef>

namespace tandem::mpi {

/// Messages of so many bytes or fewer go over TCP without asking whether the receiver is there, as
/// the library's control variable says; 0 where all ranks share a host, or a library has no such
/// variable. Collective over MPI_COMM_WORLD.
std::size_t eager_bytes();

}  // namespace tandem::mpi
