#include "real/cuda/working_memory.h"

namespace tandem::cuda {

Lease WorkingMemory::lease(std::size_t bytes) {
  auto fit = free_->lower_bound(bytes);
  // A small tensor in a large stretch would keep the next large one out of it.
  if (fit == free_->end() || fit->first > 2 * bytes) fit = free_->emplace(bytes, allocate(bytes));
  const auto [size, data] = *fit;
  free_->erase(fit);
  return {data, [free = free_, size](std::byte* ended) { free->emplace(size, ended); }};
}

std::byte* WorkingMemory::allocate(std::size_t bytes) {
  chunks_.push_back(engine_.allocate(bytes));
  return chunks_.back().get();
}

}  // namespace tandem::cuda
