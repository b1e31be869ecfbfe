#include "real/calibrate/other_rank.h"

#include <bit>

namespace tandem::mpi {

void swap_with_other(Worker& worker, const View& out, const View& in) {
  std::vector<Handle> handles;
  handles.push_back(worker.send(other_rank(worker), 0, out));
  handles.push_back(worker.receive(other_rank(worker), 0, in));
  wait_all(worker, handles);
}

double swap_with_other(Worker& worker, double number) {
  const Buffer numbers = worker.allocate(2, DType::kInt64);  // which hold the bits
  const std::span<std::int64_t> bits = numbers.view().numbers<std::int64_t>();
  bits[0] = std::bit_cast<std::int64_t>(number);
  swap_with_other(worker, numbers.view().slice(0, 1), numbers.view().slice(1, 1));
  return std::bit_cast<double>(bits[1]);
}

std::int64_t agree_on(Worker& worker, std::int64_t number) {
  const Buffer told = worker.allocate(1, DType::kInt64);
  told.view().numbers<std::int64_t>()[0] = number;
  worker.group().rank == 0 ? send_to_other(worker, told.view())
                           : receive_from_other(worker, told.view());
  return told.view().numbers<std::int64_t>()[0];
}

}  // namespace tandem::mpi
