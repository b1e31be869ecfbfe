#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace tandem {

/// Rests between looks at what may have ended: short ones at first, so that short children cost
/// nothing. A signal ends a nap early.
class Naps {
 public:
  void take() {
    const timespec time{0, static_cast<long>(std::chrono::nanoseconds(nap_).count())};
    nanosleep(&time, nullptr);
    nap_ = std::min(nap_ * 2, kLongest);
  }
  /// Something happened: the next nap is short again.
  void shorten() { nap_ = kFirst; }

 private:
  static constexpr std::chrono::milliseconds kFirst{2}, kLongest{50};

  std::chrono::milliseconds nap_ = kFirst;
};

}  // namespace tandem
