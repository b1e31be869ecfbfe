#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "core/base/half.h"
#include "core/comm/memory_ledger.h"
#include "core/comm/mirror.h"

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

constexpr bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
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

/// What a buffer and its views share: memory that is freed with the last of them, or none where a
/// run models sizes, and the count of the bytes held of it.
class Memory {
 public:
  using Free = std::function<void(std::byte* data, std::size_t bytes)>;

  /// Takes over `data`, to be freed by `free`; null makes memory that has a size only.
  Memory(std::byte* data, std::size_t bytes, Free free)
      : data_(data), bytes_(bytes), free_(std::move(free)) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// Has it copied by a device.
  void set_mirror(std::shared_ptr<Mirror> mirror) { mirror_ = std::move(mirror); }
  Mirror* mirror() const { return mirror_.get(); }

  /// From now on counts in `ledger`: all of it, or, not `held`, none before it is claimed.
  void count_in(std::shared_ptr<MemoryLedger> ledger, bool held);
  void claim(std::size_t bytes);
  void release(std::size_t bytes);
  /// Whether its pages stay where they are as long as it lives; those of reserved memory come and
  /// go as it is claimed and released, so a device must not keep hold of them.
  bool keeps_its_pages() const { return keeps_its_pages_; }

  /// Says that its pages are mapped by this process alone, and nowhere else, so that a PagePool may
  /// move them.
  void set_private() { is_private_ = true; }
  bool is_private() const { return is_private_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  Free free_;
  std::shared_ptr<Mirror> mirror_;        ///< null where no device has a copy
  std::shared_ptr<MemoryLedger> ledger_;  ///< null where nobody counts
  std::atomic<std::size_t> held_ = 0;
  bool keeps_its_pages_ = true;
  bool is_private_ = false;
};

/// A slice of a buffer, or, where `data` is null, only its size: a run that models sizes moves such
/// views. Algorithms slice views; only kernels and transports dereference them. Cheap to copy.
struct View {
  std::byte* data = nullptr;
  std::size_t elements = 0;
  DType dtype = DType::kFloat32;
  MemorySpace space = MemorySpace::kHost;
  /// Keeps the buffer's memory, so that a message in flight may outlive the member that failed and
  /// left it behind. Null for memory that no Buffer owns, whose owner must see to that.
  std::shared_ptr<Memory> owner = nullptr;
  /// A device's copy of the memory, the owner's; null where there is none, and for who has settled
  /// that the host's counts.
  Mirror* mirror = nullptr;

  std::size_t bytes() const { return elements * size_of(dtype); }
  bool has_data() const { return data != nullptr; }

  /// `count` elements from element `offset` on; both must lie within this view.
  View slice(std::size_t offset, std::size_t count) const {
    assert(offset + count <= elements);
    return {data ? data + offset * size_of(dtype) : nullptr, count, dtype, space, owner, mirror};
  }

  /// The view of the host's memory alone, of which `data` may be used so.
  View on_host(Access access = Access::kWrite) const {
    if (mirror != nullptr && has_data()) mirror->settle(data, bytes(), access);
    return {data, elements, dtype, space, owner};
  }

  /// The same for who sees to its owner: to count owners takes longer than it seems.
  View unowned() const { return {data, elements, dtype, space, nullptr, mirror}; }

  /// The numbers themselves, on the host. Only for host views with data, of the matching dtype.
  template <typename T>
  std::span<T> numbers() const {
    assert(has_data() && dtype == dtype_of<T>() && space == MemorySpace::kHost);
    if (mirror != nullptr) mirror->settle(data, bytes(), Access::kWrite);
    return {reinterpret_cast<T*>(data), elements};
  }
  std::span<float> floats() const { return numbers<float>(); }
  /// Only to be read: a device's copy stays as good.
  template <typename T>
  std::span<const T> read() const {
    assert(has_data() && dtype == dtype_of<T>() && space == MemorySpace::kHost);
    if (mirror != nullptr) mirror->settle(data, bytes(), Access::kRead);
    return {reinterpret_cast<const T*>(data), elements};
  }
};

/// Owns memory that a Worker allocated (so that a backend can choose its kind), or only a size.
/// Move-only; the memory goes with the last of the buffer and its views.
class Buffer {
 public:
  Buffer() = default;
  /// `elements` at the beginning of `memory`, which it shares.
  Buffer(const std::shared_ptr<Memory>& memory, std::size_t elements, DType dtype,
         MemorySpace space = MemorySpace::kHost)
      : view_{memory->data(), elements, dtype, space, memory, memory->mirror()} {}

  Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, View{})) {}
  Buffer& operator=(Buffer&& other) noexcept {
    view_ = std::exchange(other.view_, View{});
    return *this;
  }

  const View& view() const { return view_; }

 private:
  View view_;
};

/// Zeroed, 64-byte aligned host memory. A large buffer takes memory of the system only where it is
/// touched.
Buffer make_host_buffer(std::size_t elements, DType dtype);

/// A buffer with a size and no data.
Buffer make_size_only_buffer(std::size_t elements, DType dtype);

/// To give back less and take it again takes longer than it frees memory: a fault for each page.
constexpr std::size_t kLeastGivenBack = 1 << 17;

/// Gives the memory of a host view back to the system: of the whole pages inside it, where these
/// are `least` bytes or more. Addresses stay valid, and memory comes again where they are next
/// touched; what the view held is lost: it is zero or left over. Does nothing for a view without
/// data.
void give_back_pages(const View& view, std::size_t least = kLeastGivenBack);

/// Bytes of a host view that lie in memory now, counted in whole pages; 0 for one without data.
/// Throws std::system_error where the system can't say.
std::size_t resident_bytes(const View& view);

}  // namespace tandem
