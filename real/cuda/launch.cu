// What nvcc compiles, but for launch_updates.cu: launches what kernels/works.inc lists.

#include <cuda_runtime.h>

#include <algorithm>

#include "real/cuda/check.h"
#include "real/cuda/engine.h"
#include "real/cuda/kernels/works.h"
#include "real/cuda/launch.cuh"

namespace tandem::cuda {
namespace {

constexpr int kWarp = 32;

struct Add {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Larger {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

/// The threads of a block. Reductions go in a fixed order.
class BlockLanes {
 public:
  /// `parts` is shared memory of 8 bytes a warp.
  __device__ explicit BlockLanes(void* parts) : parts_(parts) {}

  __device__ int index() const { return static_cast<int>(threadIdx.x); }
  __device__ int count() const { return static_cast<int>(blockDim.x); }
  template <typename T>
  __device__ T sum(T value) {
    return reduce(value, Add{});
  }
  template <typename T>
  __device__ T max(T value) {
    return reduce(value, Larger{});
  }
  template <int N>
  __device__ void sum_columns(float (&numbers)[N], int columns) {
    __shared__ float sums[N][kThreads];
    const int thread = index();
    for (int n = 0; n < N; ++n) sums[n][thread] = numbers[n];
    for (int rows = kThreads / columns; rows > 1;) {
      const int half = (rows + 1) / 2;
      __syncthreads();
      if (thread < (rows - half) * columns) {
        for (int n = 0; n < N; ++n) sums[n][thread] += sums[n][thread + half * columns];
      }
      rows = half;
    }
    for (int n = 0; n < N; ++n) numbers[n] = sums[n][thread];  // this thread's own
    __syncthreads();                                           // before the next ones
  }

 private:
  template <typename T, typename Join>
  __device__ T reduce(T value, Join join) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      value = join(value, __shfl_xor_sync(0xFFFFFFFFU, value, distance));
    }
    T* parts = static_cast<T*>(parts_);
    __syncthreads();  // nobody reads the last reduction's parts any more
    if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = parts[0];
    for (int warp = 1; warp < kThreads / kWarp; ++warp) value = join(value, parts[warp]);
    return value;
  }

  void* parts_;
};

template <typename Work>
__global__ void __launch_bounds__(kThreads) do_groups(Work work, int groups) {
  __shared__ double parts[kThreads / kWarp];
  BlockLanes lanes(parts);
  for (int group = static_cast<int>(blockIdx.x); group < groups;
       group += static_cast<int>(gridDim.x)) {
    work(group, lanes);
  }
}

}  // namespace

template <typename Work>
void launch_items(Engine& engine, int items, const Work& work) {
  launch_each(engine, items, work);
}

template <typename Work>
void launch_groups(Engine& engine, int groups, const Work& work) {
  if (groups == 0) return;
  const int blocks = std::min(groups, kMostBlocks);
  do_groups<<<blocks, kThreads, 0, static_cast<cudaStream_t>(engine.stream())>>>(work, groups);
  check(cudaGetLastError(), "launch of a kernel");
}

#define ITEMS(...) template void launch_items(Engine&, int, const __VA_ARGS__&);
#define GROUPS(...) template void launch_groups(Engine&, int, const __VA_ARGS__&);
#include "real/cuda/kernels/works.inc"

}  // namespace tandem::cuda
