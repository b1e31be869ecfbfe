#pragma once

#include <mpi.h>

#include <vector>

namespace tandem::cuda {

/// By rank, whether it has a GPU: a server has none. Collective.
std::vector<bool> ranks_with_gpu(MPI_Comm comm, bool own);

}  // namespace tandem::cuda
