#include "real/cuda/parameters.h"

namespace tandem::cuda {

DeviceArena::DeviceArena(const std::shared_ptr<Engine>& engine, const LayerGraph& graph,
                         const View& host)
    : host_(host), mirror_(CudaMirror::of(host)) {
  if (mirror_ == nullptr || mirror_->engine() != engine) {
    own_ = std::make_unique<CudaMirror>(engine, host);
    mirror_ = own_.get();
  }
  for (const Layer& layer : graph.layers()) {
    layers_.push_back(host.slice(layer.parameter_offset, layer.parameter_elements));
    std::vector<float*>& tensors = tensors_.emplace_back();
    for (const ParameterTensor& place : layer.parameters) {
      const View tensor = host.slice(place.offset, place.elements);
      tensors.push_back(reinterpret_cast<float*>(mirror_->place(tensor.data)));
    }
  }
}

float* DeviceArena::tensor(int layer, int index) const {
  return tensors_[layer][index];
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
