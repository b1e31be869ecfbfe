#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "real/cuda/check.h"
#include "real/cuda/engine.h"

namespace tandem::cuda {

inline constexpr int kThreads = 256;
inline constexpr int kMostBlocks = 1 << 16;  ///< items and groups past those go in further turns

template <typename Work>
__global__ void __launch_bounds__(kThreads) do_items(Work work, int items) {
  const int step = static_cast<int>(gridDim.x * blockDim.x);
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  // Counts down what is left, as i + step may pass the largest int.
  for (int left = items - i; left > 0; left -= step, i += left > 0 ? step : 0) work(i);
}

/// Does `work(i)` for every i in [0, items).
template <typename Work>
void launch_each(Engine& engine, int items, const Work& work) {
  if (items == 0) return;
  const int blocks = std::min((items - 1) / kThreads + 1, kMostBlocks);
  do_items<<<blocks, kThreads, 0, static_cast<cudaStream_t>(engine.stream())>>>(work, items);
  check(cudaGetLastError(), "launch of a kernel");
}

}  // namespace tandem::cuda
