#include "real/cuda/collectives/ranks_with_gpu.h"

#include "real/mpi/check.h"

namespace tandem::cuda {

std::vector<bool> ranks_with_gpu(MPI_Comm comm, bool own) {
  int ranks = 0;
  mpi::check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const int has = own ? 1 : 0;
  std::vector<int> all(ranks);
  mpi::check(MPI_Allgather(&has, 1, MPI_INT, all.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return {all.begin(), all.end()};
}

}  // namespace tandem::cuda
