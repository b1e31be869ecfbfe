#include "real/cuda/parameters.h"

namespace tandem::cuda {

DeviceArena::DeviceArena(Engine& engine, WorkingMemory& memory, const LayerGraph& graph, View host)
    : engine_(engine) {
  for (const Layer& layer : graph.layers()) {
    std::vector<Tensor>& tensors = tensors_.emplace_back();
    for (const ParameterTensor& place : layer.parameters) {
      auto* device = reinterpret_cast<float*>(memory.allocate(place.elements * sizeof(float)));
      tensors.push_back({device, host.slice(place.offset, place.elements)});
    }
  }
  // A page that is given back and taken anew would no longer be the one that the GPU copies to.
  if (host.owner && host.owner->keeps_its_pages()) pinned_ = engine.pin(host.data, host.bytes());
}

void DeviceArena::upload(int layer) const {
  for (const Tensor& tensor : tensors_[layer]) {
    engine_.copy_in(Queue::kUpload, reinterpret_cast<std::byte*>(tensor.device), tensor.host.data,
                    tensor.host.bytes());
  }
}

void DeviceArena::download(int layer) const {
  for (const Tensor& tensor : tensors_[layer]) {
    engine_.copy_out(Queue::kDownload, tensor.host.data,
                     reinterpret_cast<const std::byte*>(tensor.device), tensor.host.bytes());
  }
}

}  // namespace tandem::cuda
