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

inline constexpr int kWarp = 32;

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
        // All are read before one is written, so that they come together.
        for (int n = 0; n < N; ++n) numbers[n] += sums[n][thread + half * columns];
        for (int n = 0; n < N; ++n) sums[n][thread] = numbers[n];
      }
      rows = half;
    }
    __syncthreads();  // before the next ones
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

/// Does `work(g, lanes)` for every group g in [0, groups).
template <typename Work>
void launch_each_group(Engine& engine, int groups, const Work& work) {
  if (groups == 0) return;
  const int blocks = std::min(groups, kMostBlocks);
  do_groups<<<blocks, kThreads, 0, static_cast<cudaStream_t>(engine.stream())>>>(work, groups);
  check(cudaGetLastError(), "launch of a kernel");
}

}  // namespace tandem::cuda
