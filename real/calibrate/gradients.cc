#include "real/calibrate/gradients.h"

#include <algorithm>

#include "core/collectives/ring.h"

namespace tandem::mpi {

Gradients::Gradients(Worker& worker, std::size_t all_bytes, std::size_t least_bytes)
    : worker_(worker),
      all_(worker.allocate(std::clamp(all_bytes, least_bytes, kMost) / sizeof(float),
                           DType::kFloat32)) {}

Handle Gradients::start(std::size_t bytes) {
  const std::size_t elements = bytes / sizeof(float);
  if (at_ + elements > all_.view().elements) at_ = 0;
  const View view = all_.view().slice(at_, elements);
  at_ += elements;
  return worker_.start(ring_all_reduce(2, worker_.group().rank, elements), view);
}

void Gradients::touch() {
  Handle sum = start(all_.view().bytes());
  worker_.wait(sum);
}

}  // namespace tandem::mpi
