#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/random.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

void fill(const ParameterTensor& tensor, RandomStream random, std::span<float> values) {
  switch (tensor.initializer) {
    case Initializer::kOnes:
      std::fill(values.begin(), values.end(), 1.0f);
      return;
    case Initializer::kZeros:
      std::fill(values.begin(), values.end(), 0.0f);
      return;
    case Initializer::kSmallNormal: {
      constexpr float kDeviation = 0.02F;
      for (float& value : values) value = kDeviation * random.near_normal();
      return;
    }
    case Initializer::kUniformFanIn: {
      const float bound = 1.0f / std::sqrt(static_cast<float>(tensor.fan_in));
      for (float& value : values) value = (2.0f * random.uniform() - 1.0f) * bound;
      return;
    }
  }
}

}  // namespace

void initialize_parameters(const LayerGraph& graph, std::uint64_t seed,
                           std::span<float> parameters) {
  initialize_layers(graph, seed, 0, static_cast<int>(graph.layers().size()) - 1, parameters);
}

void initialize_layers(const LayerGraph& graph, std::uint64_t seed, int first, int last,
                       std::span<float> parameters) {
  assert(parameters.size() == graph.parameter_elements());
  std::uint64_t stream = 0;  // one a tensor, so a tensor's numbers don't depend on others' sizes
  int index = 0;
  for (const Layer& layer : graph.layers()) {
    const bool is_asked_for = index >= first && index <= last;
    ++index;
    for (const ParameterTensor& tensor : layer.parameters) {
      RandomStream random(seed, stream++);
      if (is_asked_for) fill(tensor, random, parameters.subspan(tensor.offset, tensor.elements));
    }
  }
}

}  // namespace tandem
