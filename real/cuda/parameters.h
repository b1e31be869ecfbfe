#pragma once

#include <memory>
#include <vector>

#include "core/model/layer_graph.h"
#include "real/cuda/engine.h"
#include "real/cuda/mirror.h"
#include "real/cuda/working_memory.h"

namespace tandem::cuda {

/// The model's parameters, or their gradients, on the GPU: a flat arena as on the host. Layers have
/// it as float32: where it has 16 bits, there is another arena of those. Tensors that aren't
/// aligned there to the 16 bytes that kernels take at once have a place beside it.
class DeviceArena {
 public:
  /// `host` holds graph.parameter_elements() and must outlive it. Where it has no copy on
  /// this engine's GPU, this makes one of its own, and the host's counts between any two calls.
  DeviceArena(const std::shared_ptr<Engine>& engine, WorkingMemory& memory, const LayerGraph& graph,
              const View& host);

  float* tensor(int layer, int index) const { return tensors_[layer][index].data; }
  /// The same as it is in an arena of 16 bits; null where that is float32, or not aligned.
  std::byte* rounded_tensor(int layer, int index) const { return tensors_[layer][index].rounded; }
  bool has_any(int layer) const { return layers_[layer].elements > 0; }
  /// Whether numbers stay on the GPU between two calls.
  bool is_resident() const { return own_ == nullptr; }

  /// Queue what carries layers [first, last] from an arena of 16 bits to that of float32, and back,
  /// times the number that `scale` has then on the GPU. Nothing where it is float32.
  void widen(int first, int last) const;
  void narrow(int first, int last, const float* scale) const;
  /// Queue a layer's copies between the arena and places beside it: before its tensors are read,
  /// and after they were written to.
  void copy_from_arena(int layer) const;
  void copy_to_arena(int layer) const;

  /// Makes a layer's part of the arena current on the GPU. `last_read` as CudaMirror::fetch().
  void fetch(int layer, const Event& last_read);
  /// A layer's part of the arena is written to before `written`, which is on its way. Waits for it,
  /// and copies them to the host where they don't stay here.
  void await(int layer, const std::shared_ptr<Event>& written);

 private:
  struct Tensor {
    float* data;
    std::byte* in_arena;
    std::size_t bytes;
    std::byte* rounded;

    bool is_beside() const { return reinterpret_cast<std::byte*>(data) != in_arena; }
  };

  /// The elements of layers [first, last].
  View range(int first, int last) const;
  /// Calls body(rounded, floats, count) for parts of them in an arena of 16 bits and in that of
  /// float32.
  template <typename Body>
  void with_both(int first, int last, const Body& body) const;

  Engine& engine_;
  View host_;
  float* floats_ = nullptr;  ///< of an arena of 16 bits
  std::unique_ptr<CudaMirror> own_;
  CudaMirror* mirror_;
  std::vector<View> layers_;
  std::vector<std::vector<Tensor>> tensors_;  ///< by layer
};

}  // namespace tandem::cuda
