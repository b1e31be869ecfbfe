#pragma once

#include <fmt/format.h>

#include <string>

#include "core/comm/worker.h"

namespace tandem {

// What a backend says where all members have ended as they should, but messages have not: each is a
// mistake of the algorithm. `source` may be kAnyPeer.

inline std::string unreceived(int rank, int source, Tag tag, std::size_t bytes) {
  return fmt::format(
      "a message is left over: rank {} sent rank {} {} bytes (tag {}) that it never "
      "received",
      source, rank, bytes, tag);
}

inline std::string unmet(int rank, int source, Tag tag) {
  return fmt::format("a receive is left over: rank {} waits for {} (tag {}), who sent nothing",
                     rank, peer_name(source), tag);
}

}  // namespace tandem
