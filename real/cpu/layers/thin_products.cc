#include "real/cpu/layers/thin_products.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#define TANDEM_AVX512 __attribute__((target("avx512f")))
#endif

namespace tandem::thin {

#if defined(__x86_64__)

namespace {

constexpr std::size_t kVector = 16;             // floats
constexpr std::size_t kMostRows = 32;           // of which more than that are no few
constexpr std::size_t kLeastWeights = 1 << 20;  // in less, caches hold what is copied

TANDEM_AVX512 float sum_of_lanes(__m512 vector) {
  float lanes[kVector];
  _mm512_storeu_ps(lanes, vector);
  for (std::size_t half = kVector / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

/// Sums of Rows x Outputs products along all inputs.
template <int Rows, int Outputs>
TANDEM_AVX512 void dot_products(const Shape& shape, const float* source, const float* weights,
                                const float* bias, float* destination) {
  __m512 sums[Outputs][Rows];
  for (auto& of_output : sums)
    for (__m512& sum : of_output) sum = _mm512_setzero_ps();
  for (std::size_t i = 0; i < shape.inputs; i += kVector) {
    __m512 w[Outputs];
    for (int o = 0; o < Outputs; ++o) w[o] = _mm512_loadu_ps(weights + o * shape.inputs + i);
    for (int row = 0; row < Rows; ++row) {
      const __m512 x = _mm512_loadu_ps(source + row * shape.inputs + i);
      for (int o = 0; o < Outputs; ++o) sums[o][row] = _mm512_fmadd_ps(x, w[o], sums[o][row]);
    }
  }
  for (int o = 0; o < Outputs; ++o) {
    for (int row = 0; row < Rows; ++row) {
      destination[row * shape.outputs + o] = sum_of_lanes(sums[o][row]) + (bias ? bias[o] : 0);
    }
  }
}

template <int Outputs>
void dot_products_of_all_rows(const Shape& shape, const float* source, const float* weights,
                              const float* bias, float* destination) {
  constexpr int kRows = 6;
  std::size_t row = 0;
  const auto tile = [&]<int Rows>() {
    for (; row + Rows <= shape.rows; row += Rows) {
      dot_products<Rows, Outputs>(shape, source + row * shape.inputs, weights, bias,
                                  destination + row * shape.outputs);
    }
  };
  tile.template operator()<kRows>();
  tile.template operator()<4>();
  tile.template operator()<1>();
}

/// Outputs x Vectors of the gradient by the weights. They go past the caches where they may: what
/// reads them next comes after all others.
template <int Outputs, int Vectors>
TANDEM_AVX512 void outer_product(const Shape& shape, const float* source,
                                 const float* destination_gradient, float* weight_gradient,
                                 bool streams) {
  __m512 sums[Outputs][Vectors];
  for (auto& of_output : sums)
    for (__m512& sum : of_output) sum = _mm512_setzero_ps();
  for (std::size_t row = 0; row < shape.rows; ++row) {
    __m512 x[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      x[v] = _mm512_loadu_ps(source + row * shape.inputs + v * kVector);
    }
    for (int o = 0; o < Outputs; ++o) {
      const __m512 d = _mm512_set1_ps(destination_gradient[row * shape.outputs + o]);
      for (int v = 0; v < Vectors; ++v) sums[o][v] = _mm512_fmadd_ps(d, x[v], sums[o][v]);
    }
  }
  for (int o = 0; o < Outputs; ++o) {
    for (int v = 0; v < Vectors; ++v) {
      float* target = weight_gradient + o * shape.inputs + v * kVector;
      streams ? _mm512_stream_ps(target, sums[o][v]) : _mm512_storeu_ps(target, sums[o][v]);
    }
  }
}

template <int Outputs>
void outer_products(const Shape& shape, const float* source, const float* destination_gradient,
                    float* weight_gradient, bool streams) {
  constexpr int kVectors = 4;
  std::size_t input = 0;
  const auto tile = [&]<int Vectors>() {
    for (; input + Vectors * kVector <= shape.inputs; input += Vectors * kVector) {
      outer_product<Outputs, Vectors>(shape, source + input, destination_gradient,
                                      weight_gradient + input, streams);
    }
  };
  tile.template operator()<kVectors>();
  tile.template operator()<1>();
}

}  // namespace

bool has_products(const Shape& shape) {
  static const bool kHasVectors = __builtin_cpu_supports("avx512f");
  return kHasVectors && shape.rows <= kMostRows && shape.inputs % kVector == 0 &&
         shape.inputs * shape.outputs >= kLeastWeights;
}

void multiply(const Shape& shape, const float* source, const float* weights, const float* bias,
              float* destination) {
  constexpr std::size_t kOutputs = 4;
  const std::size_t tiles = (shape.outputs + kOutputs - 1) / kOutputs;
#pragma omp parallel for schedule(static)
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    std::size_t o = tile * kOutputs;
    const auto some = [&]<int Outputs>() {
      dot_products_of_all_rows<Outputs>(shape, source, weights + o * shape.inputs,
                                        bias ? bias + o : nullptr, destination + o);
    };
    if (o + kOutputs <= shape.outputs) {
      some.template operator()<kOutputs>();
    } else {
      for (; o < shape.outputs; ++o) some.template operator()<1>();
    }
  }
}

void multiply_rows(const Shape& shape, const float* source, const float* destination_gradient,
                   float* weight_gradient, float* bias_gradient) {
  constexpr std::size_t kOutputs = 6;
  const bool streams = reinterpret_cast<std::uintptr_t>(weight_gradient) % sizeof(__m512) == 0;
  const std::size_t tiles = (shape.outputs + kOutputs - 1) / kOutputs;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      std::size_t o = tile * kOutputs;
      const auto some = [&]<int Outputs>() {
        outer_products<Outputs>(shape, source, destination_gradient + o,
                                weight_gradient + o * shape.inputs, streams);
      };
      if (o + kOutputs <= shape.outputs) {
        some.template operator()<kOutputs>();
      } else {
        for (; o < shape.outputs; ++o) some.template operator()<1>();
      }
    }
    _mm_sfence();
  }
  if (!bias_gradient) return;
  std::fill_n(bias_gradient, shape.outputs, 0.0F);
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      bias_gradient[o] += destination_gradient[row * shape.outputs + o];
    }
  }
}

#else

bool has_products(const Shape&) {
  return false;
}
void multiply(const Shape&, const float*, const float*, const float*, float*) {
  assert(!"no products");
}
void multiply_rows(const Shape&, const float*, const float*, float*, float*) {
  assert(!"no products");
}

#endif

}  // namespace tandem::thin
