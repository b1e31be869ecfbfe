#include "core/comm/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>
#include <vector>

namespace tandem {
namespace {

/// From this size on a buffer has pages of its own; the heap wastes less on smaller ones.
constexpr std::size_t kMapped = 1 << 16;

std::size_t page_size() {
  static const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kPage;
}

std::byte* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void unmap(std::byte* memory, std::size_t bytes) {
  munmap(memory, bytes);
}

std::byte* zeroed_heap(std::size_t bytes) {
  constexpr std::size_t kAlignment = 64;  // a cache line, and an AVX-512 register
  const std::size_t padded = (bytes / kAlignment + 1) * kAlignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, padded));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, padded);
  return memory;
}

void free_heap(std::byte* memory, std::size_t) {
  std::free(memory);
}

struct Pages {
  std::byte* first;
  std::size_t bytes;
};

/// The pages that lie within [data, data + bytes), or, `partly`, that overlap it.
Pages pages_of(std::byte* data, std::size_t bytes, bool partly) {
  const auto down = [](std::uintptr_t address) { return address / page_size() * page_size(); };
  const auto up = [&](std::uintptr_t address) { return down(address + page_size() - 1); };
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = partly ? down(begin) : up(begin);
  const std::uintptr_t end = partly ? up(begin + bytes) : down(begin + bytes);
  return {data + static_cast<std::ptrdiff_t>(first - begin), end > first ? end - first : 0};
}

}  // namespace

Memory::~Memory() {
  mirror_.reset();  // may keep hold of the pages
  if (data_ != nullptr) free_(data_, bytes_);
  if (ledger_) ledger_->subtract(held_);
}

void Memory::count_in(std::shared_ptr<MemoryLedger> ledger, bool held) {
  ledger_ = std::move(ledger);
  keeps_its_pages_ = held;
  if (held) claim(bytes_);
}

void Memory::claim(std::size_t bytes) {
  if (!ledger_) return;
  held_ += bytes;
  assert(held_ <= bytes_);
  ledger_->add(bytes);
}

void Memory::release(std::size_t bytes) {
  if (!ledger_) return;
  assert(held_ >= bytes);
  held_ -= bytes;
  ledger_->subtract(bytes);
}

Buffer make_host_buffer(std::size_t elements, DType dtype) {
  const std::size_t bytes = elements * size_of(dtype);
  if (bytes < kMapped)
    return {std::make_shared<Memory>(zeroed_heap(bytes), bytes, free_heap), elements, dtype};
  const auto memory = std::make_shared<Memory>(map(bytes), bytes, unmap);
  memory->set_private();
  return {memory, elements, dtype};
}

Buffer make_size_only_buffer(std::size_t elements, DType dtype) {
  return {std::make_shared<Memory>(nullptr, elements * size_of(dtype), nullptr), elements, dtype};
}

void give_back_pages(const View& view, std::size_t least) {
  if (!view.has_data() || view.space != MemorySpace::kHost) return;
  const Pages pages = pages_of(view.data, view.bytes(), false);
  if (pages.bytes == 0 || pages.bytes < least) return;
  // A huge page would take in again what lies beside the memory that is still used. Kernels without
  // them refuse this advice, and do not need it.
  madvise(pages.first, pages.bytes, MADV_NOHUGEPAGE);
  // The first for memory that processes share, which others refuse.
  if (madvise(pages.first, pages.bytes, MADV_REMOVE) != 0 &&
      madvise(pages.first, pages.bytes, MADV_DONTNEED) != 0) {
    throw std::system_error(errno, std::generic_category(), "madvise");
  }
}

std::size_t resident_bytes(const View& view) {
  if (!view.has_data()) return 0;
  const Pages pages = pages_of(view.data, view.bytes(), true);
  std::vector<unsigned char> in_core(pages.bytes / page_size());
  if (mincore(pages.first, pages.bytes, in_core.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "mincore");
  }
  const auto is_resident = [](unsigned char flags) { return (flags & 1U) != 0; };
  return page_size() * static_cast<std::size_t>(std::ranges::count_if(in_core, is_resident));
}

}  // namespace tandem
