#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/cuda/engine.h"
#include "tests/real/cpu/made_network.h"
#include "tests/real/cuda/convolution_products.h"

namespace tandem::cuda {

/// A float32 tensor of an engine.
class DeviceTensor {
 public:
  DeviceTensor(Engine& engine, const std::vector<float>& numbers)
      : engine_(engine), count_(numbers.size()), memory_(engine.allocate(bytes())) {
    engine.copy_in(Queue::kCompute, data(), numbers.data(), bytes());
    wait();
  }

  std::byte* data() const { return memory_.get(); }
  /// What it holds once all that was queued is done.
  std::vector<float> read() const {
    std::vector<float> numbers(count_);
    engine_.copy_out(Queue::kCompute, numbers.data(), data(), bytes());
    wait();
    return numbers;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(float); }
  void wait() const {
    const std::unique_ptr<Event> event = engine_.make_event();
    event->record(engine_, Queue::kCompute);
    event->wait();
  }

  Engine& engine_;
  std::size_t count_;
  Storage memory_;
};

inline std::vector<float> chirps(std::int64_t count, double phase) {
  std::vector<float> numbers(count);
  for (std::int64_t i = 0; i < count; ++i) numbers[i] = chirp(static_cast<std::size_t>(i), phase);
  return numbers;
}

/// The factors of a convolution's three passes.
struct ConvolutionFactors {
  explicit ConvolutionFactors(const ConvolutionShape& s)
      : input(chirps(s.input.elements(), 0.1)),
        weights(chirps(s.weights().elements(), 0.2)),
        by_output(chirps(s.output.elements(), 0.3)) {}

  std::vector<float> input, weights, by_output;
};

struct ConvolutionResults {
  std::vector<double> output, by_weights, by_input, by_input_twice;
};

/// By the definition, one product after the other.
inline ConvolutionResults defined_results(const ConvolutionShape& s,
                                          const ConvolutionFactors& factors) {
  ConvolutionResults all{std::vector<double>(factors.by_output.size()),
                         std::vector<double>(factors.weights.size()),
                         std::vector<double>(factors.input.size()),
                         {}};
  for_each_product(s, [&](int in, int weight, int out) {
    const double x = factors.input[in], w = factors.weights[weight];
    const double gradient = factors.by_output[out];
    all.output[out] += x * w;
    all.by_weights[weight] += x * gradient;
    all.by_input[in] += w * gradient;
  });
  for (const double sum : all.by_input) all.by_input_twice.push_back(2 * sum);
  return all;
}

inline void expect_sums(const std::vector<float>& found, const std::vector<double>& expected,
                        const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << what << ' ' << i;
}

/// That its passes, of float32, leave what the definition says.
inline void expect_convolves(Engine& engine, Convolution& convolution, const ConvolutionShape& s) {
  SCOPED_TRACE("batch " + std::to_string(s.input.batch));
  const ConvolutionFactors factors(s);
  const ConvolutionResults expected = defined_results(s, factors);
  const DeviceTensor input(engine, factors.input), weights(engine, factors.weights);
  const DeviceTensor by_output(engine, factors.by_output);
  const auto zeros = [&](const std::vector<double>& like) {
    return DeviceTensor(engine, std::vector<float>(like.size()));
  };
  const DeviceTensor output = zeros(expected.output), by_weights = zeros(expected.by_weights);
  const DeviceTensor by_input = zeros(expected.by_input);
  convolution.forward(input.data(), weights.data(), output.data());
  expect_sums(output.read(), expected.output, "output");
  convolution.backward_weights(input.data(), by_output.data(), by_weights.data());
  expect_sums(by_weights.read(), expected.by_weights, "gradient by the weights");
  convolution.backward_input(weights.data(), by_output.data(), by_input.data(), false);
  expect_sums(by_input.read(), expected.by_input, "gradient by the input");
  convolution.backward_input(weights.data(), by_output.data(), by_input.data(), true);
  expect_sums(by_input.read(), expected.by_input_twice, "gradient by the input, added");
}

}  // namespace tandem::cuda
