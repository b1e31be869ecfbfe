#include "real/cuda/parameters.h"

namespace tandem::cuda {
namespace {

bool is_aligned(const std::byte* data) {
  constexpr std::uintptr_t kAlignment = 16;
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
}

}  // namespace

DeviceArena::DeviceArena(const std::shared_ptr<Engine>& engine, WorkingMemory& memory,
                         const LayerGraph& graph, const View& host)
    : engine_(*engine), mirror_(CudaMirror::of(host)) {
  if (mirror_ == nullptr || mirror_->engine() != engine) {
    own_ = std::make_unique<CudaMirror>(engine, host);
    mirror_ = own_.get();
  }
  for (const Layer& layer : graph.layers()) {
    layers_.push_back(host.slice(layer.parameter_offset, layer.parameter_elements));
    std::vector<Tensor>& tensors = tensors_.emplace_back();
    for (const ParameterTensor& place : layer.parameters) {
      const View tensor = host.slice(place.offset, place.elements);
      std::byte* data = mirror_->place(tensor.data);
      std::byte* aligned = is_aligned(data) ? data : memory.allocate(tensor.bytes());
      tensors.push_back({reinterpret_cast<float*>(aligned), data, tensor.bytes()});
    }
  }
}

void DeviceArena::copy_from_arena(int layer) const {
  for (const Tensor& tensor : tensors_[layer]) {
    if (tensor.is_beside())
      engine_.copy(reinterpret_cast<std::byte*>(tensor.data), tensor.in_arena, tensor.bytes);
  }
}

void DeviceArena::copy_to_arena(int layer) const {
  for (const Tensor& tensor : tensors_[layer]) {
    if (tensor.is_beside())
      engine_.copy(tensor.in_arena, reinterpret_cast<std::byte*>(tensor.data), tensor.bytes);
  }
}

void DeviceArena::fetch(int layer, const Event& last_read) {
  const View& view = layers_[layer];
  if (own_) own_->settle(view.data, view.bytes(), Access::kOverwrite);
  mirror_->fetch(view, &last_read);
}

void DeviceArena::await(int layer, const std::shared_ptr<Event>& written) {
  const View& view = layers_[layer];
  mirror_->wrote(view, written);
  if (own_) {
    own_->settle(view.data, view.bytes(), Access::kRead);
  } else {
    written->wait();
  }
}

}  // namespace tandem::cuda
