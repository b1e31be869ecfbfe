// Launches what kernels/updates.inc lists. Compiled without fused multiplications and additions, so
// that the bits are the host's.

#include <cuda_runtime.h>

#include <algorithm>

#include "real/cuda/check.h"
#include "real/cuda/kernels/updates.h"

namespace tandem::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 1 << 16;

template <typename Work>
__global__ void __launch_bounds__(kThreads) do_updates(Work work, int items) {
  const auto step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < items;
       i += step) {
    work(static_cast<int>(i));
  }
}

}  // namespace

template <typename Work>
void launch_update(Engine& engine, int items, const Work& work) {
  if (items == 0) return;
  const int blocks = std::min((items - 1) / kThreads + 1, kMostBlocks);
  do_updates<<<blocks, kThreads, 0, static_cast<cudaStream_t>(engine.stream())>>>(work, items);
  check(cudaGetLastError(), "launch of an update");
}

#define UPDATES(...) template void launch_update(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/updates.inc"

}  // namespace tandem::cuda
