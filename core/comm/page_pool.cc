#include "core/comm/page_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace tandem {
namespace {

/// Aligned pieces of so many bytes are kept: a page table's, which the kernel moves as one. Each
/// becomes a mapping of its own, of which a process may have 65,530 (vm.max_map_count).
constexpr std::size_t kPiece = 2 << 20;

/// Calls move(piece) for each aligned piece of the view for as long as it says that it did, and
/// left(rest) for what lies between and around those, as views of bytes.
void each_piece(const View& view, const auto& move, const auto& left) {
  const View bytes{view.data, view.bytes(), DType::kByte};
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  std::size_t done = 0;
  for (std::size_t at = (kPiece - address % kPiece) % kPiece; at + kPiece <= bytes.elements;
       at += kPiece) {
    if (!move(view.data + at)) break;
    if (at > done) left(bytes.slice(done, at - done));
    done = at + kPiece;
  }
  left(bytes.slice(done, bytes.elements - done));
}

bool may_be_kept(const View& view) {
  return view.has_data() && view.bytes() >= kPiece && view.mirror == nullptr && view.owner &&
         view.owner->is_private();
}

}  // namespace

PagePool::~PagePool() {
  for (std::byte* piece : kept_) munmap(piece, kPiece);
}

bool PagePool::keep(std::byte* piece) {
  constexpr void* kAnywhere = nullptr;  // which the system takes for a hint where nobody says so
  void* moved = mremap(piece, kPiece, kPiece, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, kAnywhere);
  if (moved == MAP_FAILED) return false;  // by Linux before 5.7
  const std::lock_guard lock(mutex_);
  kept_.push_back(static_cast<std::byte*>(moved));
  return true;
}

bool PagePool::put(std::byte* piece) {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return false;
  const void* moved = mremap(kept_.back(), kPiece, kPiece, MREMAP_MAYMOVE | MREMAP_FIXED, piece);
  if (moved == MAP_FAILED) return false;
  kept_.pop_back();
  return true;
}

void PagePool::give_back(const View& view) {
  if (!may_be_kept(view)) return give_back_pages(view);
  each_piece(
      view, [this](std::byte* piece) { return keep(piece); },
      [](const View& rest) { give_back_pages(rest, 0); });
}

void PagePool::take_in(const View& view) {
  if (!may_be_kept(view)) return take_in_pages(view);
  each_piece(
      view, [this](std::byte* piece) { return put(piece); },
      [](const View& rest) { take_in_pages(rest, 0); });
}

}  // namespace tandem
