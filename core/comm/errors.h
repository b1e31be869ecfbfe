#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/error.h"
#include "core/base/seconds.h"

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

/// Nothing came of what this member waits for, for as long as the scenario's `timeout`.
class Timeout : public RunError {
 public:
  Timeout(int rank, const std::string& awaited, Seconds waited)
      : RunError(fmt::format("rank {} has waited {} s for {}; is it a deadlock, or is timeout too "
                             "short?",
                             rank, waited, awaited)) {}
};

}  // namespace tandem
