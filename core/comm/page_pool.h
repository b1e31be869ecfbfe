#pragma once

#include <cstddef>
#include <vector>

#include "core/comm/buffer.h"

namespace tandem {

/// Memory that a member has released and will claim again, elsewhere as a rule. The system would
/// fill it with zeros page by page, which takes longer than most of what is done with it; so whole
/// pieces are kept and moved to where memory is claimed next: never more than the member had
/// claimed at once. Claims too small for whole pieces take none of them, so a member may hold twice
/// as much as that. Memory that processes share or devices copy is given back to the system. For
/// one thread.
class PagePool {
 public:
  PagePool() = default;
  /// Gives all back.
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// As give_back_pages(), but keeps what it can.
  void give_back(const View& view);
  /// Moves what is kept into the view, whose contents are lost, for as long as there is some. The
  /// rest comes from the system where it is touched. Throws std::system_error.
  void take_in(const View& view);
  std::size_t kept_bytes() const;

 private:
  std::vector<std::byte*> kept_;
};

}  // namespace tandem
