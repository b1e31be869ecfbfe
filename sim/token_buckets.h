#pragma once

#include <cstddef>
#include <unordered_map>

#include "sim/fabric.h"

namespace tandem {

/// What shapers let through at once after a rest. A link with the property `burst`, in bytes, is
/// shaped by a token bucket of that depth (RFC 2697's, of one rate): tokens for a byte each come at
/// the rate that messages get of the link, and a message that finds some sends so many of its bytes
/// in no time, but for what moving them takes.
class TokenBuckets {
 public:
  /// The first of a message's `bytes` comes at `now`: how many of them cost no time. The others
  /// pass at the bandwidth of the way's narrowest link.
  std::size_t begin(const Path& path, std::size_t bytes, Seconds now);

  /// From `now` on, until it ends, a flow of others' traffic takes tokens of the links: at `rate`,
  /// in bytes/s, or all that come where that is 0.
  void others_begin(const std::vector<simgrid::s4u::Link*>& way, double rate, Seconds now);
  void others_end(const std::vector<simgrid::s4u::Link*>& way, double rate, Seconds now);

 private:
  struct Bucket {
    double depth = 0;   ///< bytes; no bucket where it is 0
    double tokens = 0;  ///< at `since`; below 0 as many as bytes wait for some
    Seconds since = 0;
    int greedy = 0;     ///< of others' flows, those that take all tokens
    double others = 0;  ///< bytes/s that the rest of them take
  };

  void change_others(const std::vector<simgrid::s4u::Link*>& way, double rate, int count,
                     Seconds now);

  /// Brought up to date; `beyond` is what each byte takes beyond the link's bandwidth.
  Bucket& filled(const simgrid::s4u::Link& link, Seconds now, double beyond);

  std::unordered_map<const simgrid::s4u::Link*, Bucket> buckets_;
};

}  // namespace tandem
