#include "real/mpi/agree.h"

#include "real/mpi/check.h"

namespace tandem::mpi {

bool agree(MPI_Comm comm, bool holds) {
  int all = holds ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all != 0;
}

}  // namespace tandem::mpi
