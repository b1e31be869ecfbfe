#pragma once

#include "core/comm/worker.h"

namespace tandem {

/// For as long as it lives, the worker waits for however long it takes.
class EndlessPatience {
 public:
  explicit EndlessPatience(Worker& worker)
      : worker_(worker), before_(worker.set_patience(kForever)) {}
  EndlessPatience(const EndlessPatience&) = delete;
  EndlessPatience& operator=(const EndlessPatience&) = delete;
  ~EndlessPatience() { worker_.set_patience(before_); }

 private:
  Worker& worker_;
  Seconds before_;
};

}  // namespace tandem
