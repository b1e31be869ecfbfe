#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace tandem {

/// Counts the bytes that one member's buffers hold: what they were allocated, less what was given
/// back. It counts sizes, so a run that models sizes only has the same count as a real one. Any
/// thread may call it.
class MemoryLedger {
 public:
  void add(std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  void subtract(std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    held_ -= bytes;
  }

  std::uint64_t held() const {
    std::lock_guard lock(mutex_);
    return held_;
  }
  /// The most that was ever held at once.
  std::uint64_t peak() const {
    std::lock_guard lock(mutex_);
    return peak_;
  }

 private:
  mutable std::mutex mutex_;
  std::uint64_t held_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace tandem
