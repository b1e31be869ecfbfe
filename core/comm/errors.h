#pragma once

#include <string>

#include "core/base/error.h"

namespace tandem {

/// A peer that this member waits for has ended or can't be reached. An ordinary outcome: a strategy
/// may catch it.
class PeerLost : public RunError {
 public:
  explicit PeerLost(int peer)
      : RunError("rank " + std::to_string(peer) + " was lost"), peer_(peer) {}
  int peer() const { return peer_; }

 private:
  int peer_;
};

}  // namespace tandem
