#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/comm/buffer.h"
#include "core/model/layer_graph.h"
#include "tests/real/cpu/device_network.h"

namespace tandem {

/// In [-1, 1] and without visible pattern: the numbers that make_reference.py computes as well.
inline float chirp(std::size_t i, double phase) {
  const auto x = static_cast<double>(i);
  return static_cast<float>(std::sin(phase + x + 0.001 * x * x));
}

/// A network with its arenas and one batch, all filled by formula: parameters are chirps of
/// amplitude 1/sqrt(fan in), and scales of norms 1 + 0.3 * chirp, with the index in the arena.
/// Tokens run through the vocabulary.
class MadeNetwork {
 public:
  MadeNetwork(LayerGraph graph, int batch_size, int threads = 1)
      : MadeNetwork(std::move(graph), batch_size, device_network(threads)) {}
  MadeNetwork(LayerGraph graph, int batch_size, const NetworkFactory& make_network)
      : graph_(std::move(graph)),
        parameters_(make_host_buffer(graph_.parameter_elements(), DType::kFloat32)),
        gradients_(make_host_buffer(graph_.parameter_elements(), DType::kFloat32)),
        images_(batch_size * graph_.input().elements()),
        labels_(static_cast<std::size_t>(batch_size) * graph_.labels()) {
    for (const Layer& layer : graph_.layers()) {
      for (const ParameterTensor& tensor : layer.parameters) fill(layer.kind, tensor);
    }
    for (std::size_t i = 0; i < images_.size(); ++i) {
      images_[i] =
          graph_.vocabulary() > 0 ? static_cast<float>(i * 7 % graph_.vocabulary()) : chirp(i, 0.5);
    }
    for (int i = 0; i < static_cast<int>(labels_.size()); ++i) {
      labels_[i] = 3 * i % graph_.classes();
    }
    network_ = make_network(graph_, batch_size, parameters_.view(), gradients_.view());
  }

  const LayerGraph& graph() const { return graph_; }
  Network& network() { return *network_; }
  std::span<float> parameters() { return parameters_.view().floats(); }
  std::span<float> gradients() { return gradients_.view().floats(); }
  std::vector<float>& images() { return images_; }
  std::vector<std::int32_t>& labels() { return labels_; }

  /// The loss of the batch.
  double forward(Mode mode = Mode::kTraining, std::uint64_t dropout_seed = 7) {
    network_->load({images_, labels_}, mode, dropout_seed);
    for (int i = 1; i < layers(); ++i) network_->forward(i);
    return network_->loss();
  }

  /// Fills gradients(); returns the loss.
  double forward_and_backward() {
    const double loss = forward();
    for (int i = layers() - 1; i > 0; --i) network_->backward(i);
    return loss;
  }

 private:
  int layers() const { return static_cast<int>(graph_.layers().size()); }

  void fill(LayerKind kind, const ParameterTensor& tensor) {
    const bool is_norm = kind == LayerKind::kBatchNorm || kind == LayerKind::kLayerNorm;
    const bool is_scale = is_norm && tensor.name == "weight";
    const double amplitude = is_norm ? 0.3 : 1 / std::sqrt(static_cast<double>(tensor.fan_in));
    for (std::size_t i = tensor.offset; i < tensor.offset + tensor.elements; ++i) {
      parameters()[i] = static_cast<float>((is_scale ? 1 : 0) + amplitude * chirp(i, 0));
    }
  }

  LayerGraph graph_;
  Buffer parameters_, gradients_;
  std::vector<float> images_;
  std::vector<std::int32_t> labels_;
  std::unique_ptr<Network> network_;
};

}  // namespace tandem
