#pragma once

#include <utility>
#include <vector>

#include "tests/real/cpu/made_network.h"

namespace tandem {

/// What a stage makes of a batch, and its gradients by its input and its parameters.
struct StagePasses {
  std::vector<float> output, by_input, by_parameters;
};

/// Of parameters and an input that are chirps of these amplitudes; `by_output` forms the gradient
/// by the output from that.
template <typename ByOutput>
StagePasses run_stage(const LayerGraph& stage, int batch_size, const NetworkFactory& make_network,
                      std::pair<float, float> amplitudes, const ByOutput& by_output) {
  const Buffer parameters = make_host_buffer(stage.parameter_elements(), DType::kFloat32);
  const Buffer gradients = make_host_buffer(stage.parameter_elements(), DType::kFloat32);
  for (std::size_t i = 0; i < stage.parameter_elements(); ++i)
    parameters.view().floats()[i] = amplitudes.first * chirp(i, 0.1);
  std::vector<float> input(batch_size * stage.input().elements());
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = amplitudes.second * chirp(i, 0.7);
  const auto network = make_network(stage, batch_size, parameters.view(), gradients.view());
  network->load({input, {}}, Mode::kTraining, 1);
  const int layers = static_cast<int>(stage.layers().size());
  for (int i = 1; i < layers; ++i) network->forward(i);
  StagePasses passes;
  passes.output.resize(batch_size * stage.layers().back().output.elements());
  network->copy_output(passes.output);
  network->load_output_gradient(by_output(passes.output));
  for (int i = layers - 1; i > 0; --i) network->backward(i);
  passes.by_input.resize(input.size());
  network->copy_input_gradient(passes.by_input);
  const auto floats = gradients.view().floats();
  passes.by_parameters.assign(floats.begin(), floats.end());
  return passes;
}

}  // namespace tandem
