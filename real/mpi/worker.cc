#include "real/mpi/worker.h"

#include "real/mpi/check.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {

Clock start_clock(MPI_Comm comm) {
  check(MPI_Barrier(comm), "MPI_Barrier");
  return {};
}

MpiWorker::MpiWorker(MPI_Comm comm, int first_traced, int traced)
    : memory_at_start_(begin_peak_memory()),
      clock_(start_clock(comm)),
      recorder_(first_traced, traced),
      engine_(comm, recorder_, clock_) {}

std::uint64_t MpiWorker::measured_peak_bytes() const {
  const std::uint64_t peak = peak_memory_bytes();
  return peak > memory_at_start_ ? peak - memory_at_start_ : 0;
}

Handle MpiWorker::do_compute(const Kernel& kernel) {
  if (kernel.body) kernel.body();
  return {};
}

}  // namespace tandem::mpi
