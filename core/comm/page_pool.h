#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "core/comm/buffer.h"

namespace tandem {

/// Memory that a member has released and will claim again, elsewhere as a rule. To give it back to
/// the system and take it in anew, filled with zeros, takes longer than most of what is done with
/// it. What a process holds at the most is no more for it: nothing is taken in while something is
/// kept. Memory that processes share or devices copy is given back.
class PagePool {
 public:
  PagePool() = default;
  /// Gives all back.
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// As give_back_pages(), but keeps what it can.
  void give_back(const View& view);
  /// As take_in_pages(), by what was kept, as long as there is some.
  void take_in(const View& view);

 private:
  bool keep(std::byte* piece);
  bool put(std::byte* piece);

  std::mutex mutex_;
  std::vector<std::byte*> kept_;
};

}  // namespace tandem
