// What bounds a training job on one core: prints, as JSON, the core's rate of float32 fused
// multiply-adds and, for each model, given as JSON like a scenario's `model`, its parameters and
// what a sample costs forward and backward.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
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

nlohmann::json limits_of(const nlohmann::json& model) {
  tandem::ModelShape shape;
  if (model.contains("input")) {
    const auto& input = model["input"];
    shape.input = tandem::Shape{input[0], input[1], input[2]};
    shape.classes = model["classes"];
  } else {
    shape.transformer = {.layers = model["layers"],
                         .width = model["width"],
                         .heads = model["heads"],
                         .vocabulary = model["vocabulary"],
                         .sequence = model["sequence"]};
  }
  const tandem::LayerGraph graph = tandem::build_model(model["name"], shape);
  return {{"parameters", graph.parameter_elements()},
          {"flops", graph.forward_flops() + graph.backward_flops()}};
}

}  // namespace

int main(int count, char** arguments) {
  nlohmann::json limits = {{"fma_flops_per_s", fma_flops_per_s()},
                           {"models", nlohmann::json::array()}};
  for (int i = 1; i < count; ++i)
    limits["models"].push_back(limits_of(nlohmann::json::parse(arguments[i])));
  std::puts(limits.dump(1).c_str());
}
