#pragma once

#include "core/base/seconds.h"

namespace tandem {

/// How long something has been going on, all in all.
class BusyTime {
 public:
  void begin(Seconds now) {
    begin_ = now;
    is_busy_ = true;
  }
  void end(Seconds now) {
    passed_ = until(now);
    is_busy_ = false;
  }
  Seconds until(Seconds now) const { return passed_ + (is_busy_ ? now - begin_ : 0); }

 private:
  Seconds passed_ = 0;
  Seconds begin_ = 0;
  bool is_busy_ = false;
};

}  // namespace tandem
