#include "core/comm/page_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace tandem {
namespace {

/// Aligned pieces of so many bytes are kept.
constexpr std::size_t kPiece = 1 << 20;
/// Of a larger buffer nothing is kept: each piece becomes a mapping of its own, of which a process
/// may have 65,530 (vm.max_map_count).
constexpr std::size_t kLargestBuffer = std::size_t{8} << 30U;

/// The bytes of a view before its first piece, and those of its pieces.
struct Cut {
  std::size_t before, pieces;
};

/// No pieces where nothing of the view may be kept.
Cut cut(const View& view) {
  const bool may_be_kept = view.has_data() && view.mirror == nullptr && view.owner &&
                           view.owner->is_private() && view.owner->bytes() <= kLargestBuffer;
  if (!may_be_kept) return {0, 0};
  const std::size_t past = reinterpret_cast<std::uintptr_t>(view.data) % kPiece;
  const std::size_t before = std::min(view.bytes(), (kPiece - past) % kPiece);
  return {before, (view.bytes() - before) / kPiece * kPiece};
}

}  // namespace

PagePool::~PagePool() {
  for (std::byte* piece : kept_) munmap(piece, kPiece);
}

std::size_t PagePool::kept_bytes() const {
  return kept_.size() * kPiece;
}

void PagePool::give_back(const View& view) {
  const auto [before, pieces] = cut(view);
  std::size_t done = 0;
  for (; done < pieces; done += kPiece) {
    // Without an address the system would take for one whatever the fifth argument happens to be.
    void* moved = mremap(view.data + before + done, kPiece, kPiece,
                         MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
    if (moved == MAP_FAILED) break;  // as by Linux before 5.7
    kept_.push_back(static_cast<std::byte*>(moved));
  }
  const View bytes{view.data, view.bytes(), DType::kByte, view.space};
  if (done == 0) return give_back_pages(bytes);
  madvise(view.data + before, done, MADV_NOHUGEPAGE);  // as give_back_pages() does
  // However little it is: it does not take long.
  give_back_pages(bytes.slice(0, before), 0);
  give_back_pages(bytes.slice(before + done, bytes.elements - before - done), 0);
}

void PagePool::take_in(const View& view) {
  const auto [before, pieces] = cut(view);
  for (std::size_t done = 0; done < pieces && !kept_.empty(); done += kPiece) {
    const void* moved = mremap(kept_.back(), kPiece, kPiece, MREMAP_MAYMOVE | MREMAP_FIXED,
                               view.data + before + done);
    if (moved == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mremap");
    kept_.pop_back();
  }
}

}  // namespace tandem
