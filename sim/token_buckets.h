#pragma once

#include <cstddef>
#include <unordered_map>

#include "sim/fabric.h"

namespace tandem {

/// What shapers let through at once after a rest. A link with the property `burst`, in bytes, is
/// shaped by a token bucket of that depth (RFC 2697's, of one rate): tokens for a byte each come at
/// the link's bandwidth while nothing is on it, and a message that finds some sends so many of its
/// bytes in no time.
class TokenBuckets {
 public:
  /// The first of a message's `bytes` comes at `now`: how many of them pass at once, by the
  /// emptiest bucket of its way.
  std::size_t begin(const Path& path, std::size_t bytes, Seconds now);
  /// It has ended.
  void end(const Path& path, Seconds now);

 private:
  struct Bucket {
    const simgrid::s4u::Link* link = nullptr;
    double depth = 0;   ///< bytes; no bucket where it is 0
    double tokens = 0;  ///< at `since`
    Seconds since = 0;  ///< when the last message ended
    int messages = 0;   ///< that are on the link

    double filled(Seconds now) const;
  };

  Bucket& bucket(const simgrid::s4u::Link& link);

  std::unordered_map<const simgrid::s4u::Link*, Bucket> buckets_;
};

}  // namespace tandem
