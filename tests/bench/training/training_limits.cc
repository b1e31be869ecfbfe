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

constexpr int kLanes = 16;
constexpr int kChains = 12;  // more than latency times units
constexpr long kRounds = 40'000'000;

typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

#if defined(__x86_64__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
float multiply_add(long rounds) {
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

double fma_flops_per_s() {
  double best = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto begin = Clock::now();
    volatile float kept = multiply_add(kRounds / 4);
    static_cast<void>(kept);
    const std::chrono::duration<double> time = Clock::now() - begin;
    best = std::max(best, 2.0 * kLanes * kChains * (kRounds / 4.0) / time.count());
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
