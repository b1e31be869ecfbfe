#include "real/calibrate/other_rank.h"

namespace tandem::mpi {

std::int64_t agree_on(Worker& worker, std::int64_t number) {
  const Buffer told = worker.allocate(1, DType::kInt64);
  told.view().numbers<std::int64_t>()[0] = number;
  worker.group().rank == 0 ? send_to_other(worker, told.view())
                           : receive_from_other(worker, told.view());
  return told.view().numbers<std::int64_t>()[0];
}

}  // namespace tandem::mpi
