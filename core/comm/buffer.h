#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace tandem {

enum class DType { kFloat32, kByte };

constexpr std::size_t size_of(DType dtype) {
  return dtype == DType::kFloat32 ? 4 : 1;
}

enum class MemorySpace { kHost, kCuda };

/// A slice of memory that someone else owns, or, where `data` is null, only its size: a run that
/// models sizes moves such views. Algorithms slice views; only kernels and transports dereference
/// them. Cheap to copy.
struct View {
  std::byte* data = nullptr;
  std::size_t elements = 0;
  DType dtype = DType::kFloat32;
  MemorySpace space = MemorySpace::kHost;

  std::size_t bytes() const { return elements * size_of(dtype); }
  bool has_data() const { return data != nullptr; }

  /// `count` elements from element `offset` on; both must lie within this view.
  View slice(std::size_t offset, std::size_t count) const {
    assert(offset + count <= elements);
    return {data ? data + offset * size_of(dtype) : nullptr, count, dtype, space};
  }

  /// The numbers themselves. Only for host views with data, of the matching dtype.
  std::span<float> floats() const {
    assert(has_data() && dtype == DType::kFloat32 && space == MemorySpace::kHost);
    return {reinterpret_cast<float*>(data), elements};
  }
};

/// Owns memory that a Worker allocated (so that a backend can choose its kind), or only a size.
/// Move-only.
class Buffer {
 public:
  using Storage = std::unique_ptr<std::byte[], void (*)(std::byte*)>;

  Buffer() = default;
  /// Takes over `storage`; a null storage makes a buffer that has a size but no data.
  Buffer(Storage storage, std::size_t elements, DType dtype, MemorySpace space = MemorySpace::kHost)
      : storage_(std::move(storage)), view_{storage_.get(), elements, dtype, space} {}

  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    storage_ = std::move(other.storage_);
    view_ = std::exchange(other.view_, View{});
    return *this;
  }

  View view() const { return view_; }

 private:
  Storage storage_{nullptr, +[](std::byte*) {}};
  View view_;
};

/// Zeroed, 64-byte aligned host memory.
Buffer make_host_buffer(std::size_t elements, DType dtype);

/// A buffer with a size and no data.
Buffer make_size_only_buffer(std::size_t elements, DType dtype);

}  // namespace tandem
