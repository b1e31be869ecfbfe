#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "real/cuda/engine.h"
#include "tests/real/cpu/made_network.h"

namespace tandem::cuda {

/// What a convolution leaves of the three passes, and of the last where it adds.
inline std::vector<float> results(Engine& engine, Convolution& convolution,
                                  const ConvolutionShape& s) {
  const auto make = [&](std::int64_t elements, double phase) {
    Storage memory = engine.allocate(elements * sizeof(float));
    for (int i = 0; i < elements; ++i)
      reinterpret_cast<float*>(memory.get())[i] = chirp(static_cast<std::size_t>(i), phase);
    return memory;
  };
  const auto inputs = s.input.elements(), outputs = s.output.elements();
  const auto weights = s.weights().elements();
  const Storage input = make(inputs, 0.1), weight = make(weights, 0.2);
  const Storage output = make(outputs, 0), by_output = make(outputs, 0.3);
  const Storage by_weight = make(weights, 0), by_input = make(inputs, 0);
  std::vector<float> all;
  const auto keep = [&](const Storage& memory, std::int64_t elements) {
    const auto* numbers = reinterpret_cast<const float*>(memory.get());
    all.insert(all.end(), numbers, numbers + elements);
  };
  convolution.forward(input.get(), weight.get(), output.get());
  keep(output, outputs);
  convolution.backward_weights(input.get(), by_output.get(), by_weight.get());
  keep(by_weight, weights);
  convolution.backward_input(weight.get(), by_output.get(), by_input.get(), false);
  keep(by_input, inputs);
  convolution.backward_input(weight.get(), by_output.get(), by_input.get(), true);
  keep(by_input, inputs);
  return all;
}

/// That it leaves what the engine's own of that shape does, up to 1e-5 and `relative` to that.
inline void expect_convolves(Engine& engine, Convolution& convolution, const ConvolutionShape& s,
                             double relative) {
  const std::vector<float> expected = results(engine, *engine.convolution(s), s);
  const std::vector<float> found = results(engine, convolution, s);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-5 + relative * std::abs(expected[i]))
        << "batch " << s.input.batch << ", number " << i;
}

}  // namespace tandem::cuda
