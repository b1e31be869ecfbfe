#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

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
/// Before a short loop, to have its turns in a row; before one whose turns are long, to have them
/// share their code, as a GPU would not find all of it in its cache.
#ifdef __CUDA_ARCH__
#define TANDEM_UNROLL _Pragma("unroll")
#define TANDEM_ROLL _Pragma("unroll 1")
#else
#define TANDEM_UNROLL
#define TANDEM_ROLL
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

// ---- Neighbours in memory. A GPU is at its fastest where a thread moves 16 bytes at once.

/// Numbers of any of these types in 16 bytes.
template <typename... T>
inline constexpr int kPackWidth = 16 / static_cast<int>(std::max({sizeof(T)...}));

/// W neighbours as they lie in memory, at a multiple of W from its begin.
template <typename T, int W>
struct alignas(W * sizeof(T)) Pack {
  T numbers[W];

  TANDEM_DEVICE static const Pack& at(const T* place) {
    return *reinterpret_cast<const Pack*>(place);
  }
  TANDEM_DEVICE static Pack& at(T* place) { return *reinterpret_cast<Pack*>(place); }
  TANDEM_DEVICE float operator[](int i) const { return as_float(numbers[i]); }
  TANDEM_DEVICE void set(int i, float value) { store(numbers[i], value); }
};

/// Calls `use(load(i))` for i = begin, begin + step and so on below `end`: several at a time, so
/// that a GPU has all that those load under way together.
template <typename Load, typename Use>
TANDEM_DEVICE void for_each_step(int begin, int end, int step, const Load& load, const Use& use) {
  constexpr int kTogether = 4;
  int i = begin;
  for (; i < end - (kTogether - 1) * step; i += kTogether * step) {
    decltype(load(i)) loaded[kTogether];
    TANDEM_UNROLL
    for (int k = 0; k < kTogether; ++k) loaded[k] = load(i + k * step);
    TANDEM_UNROLL
    for (int k = 0; k < kTogether; ++k) use(loaded[k]);
  }
  for (; i < end; i += step) use(load(i));
}

/// Calls `body(place, width)` for the item-th stretch of `kWidth` of the elements; at the end,
/// where fewer are left, for each by itself. `width` is a std::integral_constant.
template <int kWidth, typename Body>
TANDEM_DEVICE void for_stretch(int item, int elements, const Body& body) {
  const int begin = item * kWidth, left = elements - begin;
  if (left >= kWidth) return body(begin, std::integral_constant<int, kWidth>());
  for (int i = 0; i < left; ++i) body(begin + i, std::integral_constant<int, 1>());
}

/// As many items as for_stretch() has of the elements.
constexpr int count_stretches(int elements, int width) {
  return elements / width + (elements % width == 0 ? 0 : 1);
}

/// Turns W neighbours of a tensor into as many of another.
template <int W, typename From, typename To, typename Function>
TANDEM_DEVICE void turn(const From* from, To* to, const Function& function) {
  const auto x = Pack<From, W>::at(from);
  Pack<To, W> y;
  for (int i = 0; i < W; ++i) y.set(i, function(i, x[i]));
  Pack<To, W>::at(to) = y;
}

/// Writes contributions to W neighbours, or adds them.
template <int W, typename T, typename Function>
TANDEM_DEVICE void contribute(T* to, bool adds, const Function& function) {
  Pack<T, W> sum;
  if (adds) sum = Pack<T, W>::at(to);
  for (int i = 0; i < W; ++i) contribute(sum.numbers[i], function(i), adds);
  Pack<T, W>::at(to) = sum;
}

}  // namespace tandem::cuda
