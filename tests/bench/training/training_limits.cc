// What bounds a training job on one core: prints, as JSON, the core's rate of float32 fused
// multiply-adds and, for each MODEL:CHANNELS:SIDE:CLASSES, the model's parameters and what a sample
// costs forward and backward.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "core/model/zoo.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChains = 12;  // more than latency times units, and no more than there are registers
constexpr long kRounds = 10'000'000;

typedef float Vector16 __attribute__((vector_size(64)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector4 __attribute__((vector_size(16)));

template <typename Vector>
[[gnu::always_inline]] inline float multiply_add(long rounds) {
  Vector chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = Vector{} + static_cast<float>(i);
  const Vector factor = Vector{} + 0.5F, summand = Vector{} + 1.0F;
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (Vector& chain : chains) chain = chain * factor + summand;
  }
  float sum = 0;
  for (const Vector& chain : chains) sum += chain[0];
  return sum;
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float in_vectors_of_16(long rounds) {
  return multiply_add<Vector16>(rounds);
}
__attribute__((target("avx2,fma"))) float in_vectors_of_8(long rounds) {
  return multiply_add<Vector8>(rounds);
}
#endif
float in_vectors_of_4(long rounds) {
  return multiply_add<Vector4>(rounds);
}

struct Loop {
  float (*run)(long rounds);
  int lanes;
};

/// In the widest vectors that this processor multiplies and adds at once.
Loop widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {in_vectors_of_16, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {in_vectors_of_8, 8};
#endif
  return {in_vectors_of_4, 4};
}

double fma_flops_per_s() {
  const Loop loop = widest();
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto begin = Clock::now();
    volatile float kept = loop.run(kRounds);
    static_cast<void>(kept);
    const std::chrono::duration<double> time = Clock::now() - begin;
    best = std::max(best, 2.0 * loop.lanes * kChains * kRounds / time.count());
  }
  return best;
}

void print_model(const std::string& text) {
  char name[32];
  int channels = 0, side = 0, classes = 0;
  if (std::sscanf(text.c_str(), "%31[^:]:%d:%d:%d", name, &channels, &side, &classes) != 4) {
    fmt::print(stderr, "'{}' is not MODEL:CHANNELS:SIDE:CLASSES\n", text);
    std::exit(2);
  }
  const tandem::LayerGraph graph = tandem::build_model(
      name, {.input = tandem::Shape{channels, side, side}, .classes = classes, .transformer = {}});
  fmt::print(",\n \"{}\": {{\"parameters\": {}, \"flops\": {}}}", text, graph.parameter_elements(),
             graph.forward_flops() + graph.backward_flops());
}

}  // namespace

int main(int count, char** arguments) {
  fmt::print("{{\"fma_flops_per_s\": {}", fma_flops_per_s());
  for (int i = 1; i < count; ++i) print_model(arguments[i]);
  fmt::print("}}\n");
}
