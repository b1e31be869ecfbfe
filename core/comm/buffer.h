#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/base/half.h"

namespace tandem {

enum class DType { kFloat32, kFloat16, kBFloat16, kInt64, kByte };

constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return 4;
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kInt64:
      return 8;
    case DType::kByte:
      return 1;
  }
  return 0;
}

/// The DType whose elements are of type T.
template <typename T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::kFloat32;
}
template <>
constexpr DType dtype_of<Float16>() {
  return DType::kFloat16;
}
template <>
constexpr DType dtype_of<BFloat16>() {
  return DType::kBFloat16;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::kInt64;
}
template <>
constexpr DType dtype_of<std::byte>() {
  return DType::kByte;
}

enum class MemorySpace { kHost, kCuda };

/// A slice of a buffer, or, where `data` is null, only its size: a run that models sizes moves such
/// views. Algorithms slice views; only kernels and transports dereference them. Cheap to copy.
struct View {
  std::byte* data = nullptr;
  std::size_t elements = 0;
  DType dtype = DType::kFloat32;
  MemorySpace space = MemorySpace::kHost;
  /// Keeps the buffer's memory, so that a message in flight may outlive the member that failed and
  /// left it behind. Null for memory that no Buffer owns, whose owner must see to that.
  std::shared_ptr<const void> owner = nullptr;

  std::size_t bytes() const { return elements * size_of(dtype); }
  bool has_data() const { return data != nullptr; }

  /// `count` elements from element `offset` on; both must lie within this view.
  View slice(std::size_t offset, std::size_t count) const {
    assert(offset + count <= elements);
    return {data ? data + offset * size_of(dtype) : nullptr, count, dtype, space, owner};
  }

  /// The numbers themselves. Only for host views with data, of the matching dtype.
  template <typename T>
  std::span<T> numbers() const {
    assert(has_data() && dtype == dtype_of<T>() && space == MemorySpace::kHost);
    return {reinterpret_cast<T*>(data), elements};
  }
  std::span<float> floats() const { return numbers<float>(); }
};

/// Owns memory that a Worker allocated (so that a backend can choose its kind), or only a size.
/// Move-only; the memory goes with the last of the buffer and its views.
class Buffer {
 public:
  using Storage = std::shared_ptr<std::byte[]>;

  Buffer() = default;
  /// Takes over `storage`; a null storage makes a buffer that has a size but no data.
  Buffer(Storage storage, std::size_t elements, DType dtype, MemorySpace space = MemorySpace::kHost)
      : view_{storage.get(), elements, dtype, space, storage} {}

  Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, View{})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    view_ = std::exchange(other.view_, View{});
    return *this;
  }

  const View& view() const { return view_; }

 private:
  View view_;
};

/// Zeroed, 64-byte aligned host memory.
Buffer make_host_buffer(std::size_t elements, DType dtype);

/// A buffer with a size and no data.
Buffer make_size_only_buffer(std::size_t elements, DType dtype);

}  // namespace tandem
