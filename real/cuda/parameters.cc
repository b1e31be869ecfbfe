#include "real/cuda/parameters.h"

#include "real/cuda/kernels/updates.h"
#include "real/cuda/with_type.h"

namespace tandem::cuda {
namespace {

bool is_aligned(const std::byte* data) {
  constexpr std::uintptr_t kAlignment = 16;
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
}

}  // namespace

DeviceArena::DeviceArena(const std::shared_ptr<Engine>& engine, WorkingMemory& memory,
                         const LayerGraph& graph, const View& host)
    : engine_(*engine), host_(host), mirror_(CudaMirror::of(host)) {
  if (mirror_ == nullptr || mirror_->engine() != engine) {
    own_ = std::make_unique<CudaMirror>(engine, host);
    mirror_ = own_.get();
  }
  if (host.dtype != DType::kFloat32)
    floats_ = reinterpret_cast<float*>(memory.allocate(host.elements * sizeof(float)));
  for (const Layer& layer : graph.layers()) {
    layers_.push_back(host.slice(layer.parameter_offset, layer.parameter_elements));
    std::vector<Tensor>& tensors = tensors_.emplace_back();
    for (const ParameterTensor& place : layer.parameters) {
      float* data = floats_ != nullptr
                        ? floats_ + place.offset
                        : reinterpret_cast<float*>(mirror_->place(host.data)) + place.offset;
      auto* in_arena = reinterpret_cast<std::byte*>(data);
      const std::size_t bytes = place.elements * sizeof(float);
      if (!is_aligned(in_arena)) data = reinterpret_cast<float*>(memory.allocate(bytes));
      std::byte* rounded = floats_ == nullptr
                               ? nullptr
                               : mirror_->place(host.slice(place.offset, place.elements).data);
      tensors.push_back({data, in_arena, bytes, is_aligned(rounded) ? rounded : nullptr});
    }
  }
}

// Layers' parameters lie one after the other.
View DeviceArena::range(int first, int last) const {
  const View &begin = layers_[first], &end = layers_[last];
  const auto offset = static_cast<std::size_t>(begin.data - host_.data) / size_of(host_.dtype);
  const auto past =
      static_cast<std::size_t>(end.data - host_.data) / size_of(host_.dtype) + end.elements;
  return host_.slice(offset, past - offset);
}

template <typename Body>
void DeviceArena::with_both(int first, int last, const Body& body) const {
  const View part = range(first, last);
  if (floats_ == nullptr || part.elements == 0) return;
  float* floats = floats_ + (part.data - host_.data) / std::ptrdiff_t(size_of(part.dtype));
  with_type(part.dtype, [&](auto* type) {
    auto* rounded = reinterpret_cast<decltype(type)>(mirror_->place(part.data));
    in_parts(part.elements,
             [&](std::size_t at, int count) { body(rounded + at, floats + at, count); });
  });
}

void DeviceArena::widen(int first, int last) const {
  with_both(first, last, [&]<typename T>(T* rounded, float* floats, int count) {
    launch_update(engine_, count, Combine<float, T>{floats, rounded, 1, false});
  });
}

void DeviceArena::narrow(int first, int last, const float* scale) const {
  with_both(first, last, [&]<typename T>(T* rounded, float* floats, int count) {
    launch_update(engine_, count, Narrow<T>{rounded, floats, scale});
  });
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
