#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "real/mpi/shared/mapping.h"

namespace tandem::mpi {

/// Memory of this process that others of its host may map: they need to be told of it once, and of
/// what is allocated in it only the offset. Any thread may allocate and free.
class Arena {
 public:
  Arena();

  /// False where the system has no such memory; then nothing can be allocated.
  bool exists() const { return mapping_.data() != nullptr; }
  int descriptor() const { return mapping_.descriptor(); }
  std::byte* data() const { return mapping_.data(); }
  bool holds(const std::byte* data) const {
    return exists() && data >= mapping_.data() && data < mapping_.data() + mapping_.bytes();
  }

  /// Zeroed, and aligned to a cache line, or if it is large to a page. Null where no room is left.
  std::byte* allocate(std::size_t bytes);
  void free(std::byte* data, std::size_t bytes);

 private:
  Mapping mapping_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;  ///< bytes by offset; what is free is zero
};

}  // namespace tandem::mpi
