#pragma once

#include <cstdint>

#include "core/base/half.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
/// Of arithmetic that a GPU does: plain C++ that a processor does too, so that tests without a GPU
/// run the very same functions.
#define TANDEM_DEVICE __host__ __device__
#else
#define TANDEM_DEVICE
#endif

namespace tandem::cuda {

TANDEM_DEVICE inline float as_float(float value) {
  return value;
}

TANDEM_DEVICE inline float as_float(Float16 value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  return static_cast<float>(value);
#endif
}

TANDEM_DEVICE inline float as_float(BFloat16 value) {
#ifdef __CUDA_ARCH__
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
#else
  return static_cast<float>(value);
#endif
}

TANDEM_DEVICE inline void store(float& place, float value) {
  place = value;
}

/// Rounds to nearest, ties to even, on either.
TANDEM_DEVICE inline void store(Float16& place, float value) {
#ifdef __CUDA_ARCH__
  place.bits = __half_as_ushort(__float2half_rn(value));
#else
  place = Float16(value);
#endif
}

TANDEM_DEVICE inline void store(BFloat16& place, float value) {
#ifdef __CUDA_ARCH__
  place.bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
#else
  place = BFloat16(value);
#endif
}

/// Writes a contribution to a gradient, or adds it to those of other readers.
template <typename T>
TANDEM_DEVICE void contribute(T& place, float value, bool adds) {
  store(place, adds ? as_float(place) + value : value);
}

}  // namespace tandem::cuda
