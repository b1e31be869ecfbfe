#pragma once

#include <mpi.h>

namespace tandem::mpi {

/// Whether it holds on each rank of `comm`, all of which have to call this. Throws RunError.
bool agree(MPI_Comm comm, bool holds);

}  // namespace tandem::mpi
