#include "real/mpi/worker.h"

#include "real/mpi/check.h"

namespace tandem::mpi {

Clock start_clock(MPI_Comm comm) {
  check(MPI_Barrier(comm), "MPI_Barrier");
  return {};
}

MpiWorker::MpiWorker(MPI_Comm comm, int first_traced, int traced)
    : clock_(start_clock(comm)),
      recorder_(first_traced, traced),
      engine_(comm, recorder_, clock_) {}

Handle MpiWorker::do_compute(const Kernel& kernel) {
  if (kernel.body) kernel.body();
  return {};
}

}  // namespace tandem::mpi
