#pragma once

#include <mpi.h>
#include <sched.h>

#include <vector>

namespace tandem::mpi {

/// The ranks of a machine, whose processors several hosts of a lab share.
struct Neighbours {
  int own = 0;                     ///< this rank's place among them
  std::vector<cpu_set_t> allowed;  ///< the processors that each of them may use
};

/// Of this rank's machine. Collective over `comm`.
Neighbours neighbours(MPI_Comm comm);

}  // namespace tandem::mpi
