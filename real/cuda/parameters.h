#pragma once

#include <memory>
#include <vector>

#include "core/model/layer_graph.h"
#include "real/cuda/engine.h"
#include "real/cuda/working_memory.h"

namespace tandem::cuda {

/// The model's parameters, or their gradients, on the GPU: each tensor of the host's flat arena at
/// an aligned place of its own, float32.
class DeviceArena {
 public:
  /// `host` holds graph.parameter_elements() float32 and must outlive it.
  DeviceArena(Engine& engine, WorkingMemory& memory, const LayerGraph& graph, View host);

  float* tensor(int layer, int index) const { return tensors_[layer][index].device; }
  bool has_any(int layer) const { return !tensors_[layer].empty(); }
  /// Queues copies of a layer's tensors from the host, or to it.
  void upload(int layer) const;
  void download(int layer) const;

 private:
  struct Tensor {
    float* device;
    View host;
  };

  Engine& engine_;
  std::vector<std::vector<Tensor>> tensors_;  ///< by layer
  std::shared_ptr<void> pinned_;
};

}  // namespace tandem::cuda
