#pragma once

#include <memory>
#include <vector>

#include "core/model/layer_graph.h"
#include "real/cuda/engine.h"
#include "real/cuda/mirror.h"

namespace tandem::cuda {

/// The model's parameters, or their gradients, on the GPU: a flat arena as on the host, float32.
class DeviceArena {
 public:
  /// `host` holds graph.parameter_elements() float32 and must outlive it. Where it has no copy on
  /// this engine's GPU, this makes one of its own, and the host's counts between any two calls.
  DeviceArena(const std::shared_ptr<Engine>& engine, const LayerGraph& graph, const View& host);

  float* tensor(int layer, int index) const;
  bool has_any(int layer) const { return layers_[layer].elements > 0; }
  /// Whether numbers stay on the GPU between two calls.
  bool is_resident() const { return own_ == nullptr; }

  /// Makes a layer's tensors current on the GPU. `last_read` as CudaMirror::fetch().
  void fetch(int layer, const Event& last_read);
  /// A layer's tensors are written to before `written`, which is on its way. Waits for it, and
  /// copies them to the host where they don't stay here.
  void await(int layer, const std::shared_ptr<Event>& written);

 private:
  View host_;
  std::unique_ptr<CudaMirror> own_;
  CudaMirror* mirror_;
  std::vector<View> layers_;
  std::vector<std::vector<float*>> tensors_;  ///< by layer
};

}  // namespace tandem::cuda
