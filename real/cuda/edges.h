#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <utility>

#include "real/cuda/layers/layer.h"

namespace tandem::cuda {

// What goes in and out of a network with every batch.

/// Numbers that go between the host and the GPU with every batch, by way of memory that the GPU
/// reaches directly.
class Staged {
 public:
  Staged(Engine& engine, WorkingMemory& memory, std::size_t bytes)
      : engine_(engine),
        bytes_(bytes),
        host_(engine.allocate_host(bytes)),
        device_(memory.allocate(bytes)),
        passed_(engine.make_event()) {}

  std::byte* device() const { return device_; }

  template <typename T>
  void copy_in(std::span<const T> numbers) {
    assert(numbers.size_bytes() <= bytes_);
    passed_->wait();  // the last batch has left
    std::ranges::copy(std::as_bytes(numbers), host_.get());
    engine_.copy_in(Queue::kCompute, device_, host_.get(), numbers.size_bytes());
    passed_->record(engine_, Queue::kCompute);
  }

  template <typename T>
  void copy_out(std::span<T> numbers) const {
    engine_.copy_out(Queue::kCompute, host_.get(), device_, numbers.size_bytes());
    passed_->record(engine_, Queue::kCompute);
    passed_->wait();
    std::copy_n(host_.get(), numbers.size_bytes(), std::as_writable_bytes(numbers).begin());
  }

 private:
  Engine& engine_;
  std::size_t bytes_;
  Storage host_;
  std::byte* device_;
  std::unique_ptr<Event> passed_;
};

/// An activation or its gradient as the host has it, plain float32, at the edge of a network.
class Edge {
 public:
  Edge(Engine& engine, WorkingMemory& memory, const Tensor& tensor)
      : engine_(engine),
        tensor_(tensor),
        plain_{nullptr, DType::kFloat32, tensor.geometry.plain()},
        staged_(engine, memory, plain_.bytes()) {
    plain_.data = staged_.device();
  }

  void copy_in(std::span<const float> numbers, float factor = 1) {
    staged_.copy_in(numbers);
    carry(engine_, plain_, tensor_, factor);
  }
  /// From memory that stays as it is until the GPU has passed it.
  void copy_in_directly(std::span<const float> numbers) {
    engine_.copy_in(Queue::kCompute, staged_.device(), numbers.data(), numbers.size_bytes());
    carry(engine_, plain_, tensor_);
  }
  /// From the GPU's own memory.
  void take(std::byte* numbers) const {
    Tensor plain = plain_;
    plain.data = numbers;
    carry(engine_, plain, tensor_);
  }
  void copy_out(std::span<float> numbers, float factor = 1) const {
    carry(engine_, tensor_, plain_, factor);
    staged_.copy_out(numbers);
  }

 private:
  Engine& engine_;
  Tensor tensor_, plain_;
  Staged staged_;
};

/// Images of the next batch on their way to the GPU, beside what it computes.
class ImagesAhead {
 public:
  ImagesAhead(Engine& engine, WorkingMemory& memory, std::size_t bytes)
      : engine_(engine),
        device_(memory.allocate(bytes)),
        copied_(engine.make_event()),
        taken_(engine.make_event()) {}

  void begin(std::span<const float> images) {
    taken_->hold(engine_, Queue::kUpload);
    engine_.copy_in(Queue::kUpload, device_, images.data(), images.size_bytes());
    copied_->record(engine_, Queue::kUpload);
    images_ = images.data();
  }

  /// Whether `edge` has taken these images, which it does where they were begun.
  bool give(std::span<const float> images, const Edge& edge) {
    if (std::exchange(images_, nullptr) != images.data()) return false;
    copied_->hold(engine_, Queue::kCompute);
    edge.take(device_);
    taken_->record(engine_, Queue::kCompute);
    return true;
  }

 private:
  Engine& engine_;
  std::byte* device_;
  const float* images_ = nullptr;
  std::unique_ptr<Event> copied_, taken_;
};

}  // namespace tandem::cuda
