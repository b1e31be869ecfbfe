#include "sim/token_buckets.h"

#include <algorithm>
#include <cmath>

#include "sim/burst.h"

namespace tandem {

double TokenBuckets::Bucket::filled(Seconds now) const {
  return messages > 0 ? tokens : std::min(depth, tokens + let_through(*link, since, now));
}

TokenBuckets::Bucket& TokenBuckets::bucket(const simgrid::s4u::Link& link) {
  const auto known = buckets_.find(&link);
  if (known != buckets_.end()) return known->second;
  const double depth = burst_of(link);
  return buckets_
      .emplace(&link,
               Bucket{.link = &link, .depth = depth, .tokens = depth, .since = 0, .messages = 0})
      .first->second;
}

std::size_t TokenBuckets::begin(const Path& path, std::size_t bytes, Seconds now) {
  if (!path.has_bursts) return 0;
  auto free = static_cast<double>(bytes);
  for (const simgrid::s4u::Link* link : path.shared_links) {
    const Bucket& shaper = bucket(*link);
    if (shaper.depth > 0) free = std::min(free, shaper.filled(now));
  }
  for (const simgrid::s4u::Link* link : path.shared_links) {
    Bucket& shaper = bucket(*link);
    // Bytes that pass here wait at the next shaper, if that has fewer tokens: these are used up
    // too.
    shaper.tokens = std::max(0.0, shaper.filled(now) - static_cast<double>(bytes));
    ++shaper.messages;
  }
  return static_cast<std::size_t>(std::floor(free));
}

void TokenBuckets::end(const Path& path, Seconds now) {
  if (!path.has_bursts) return;
  for (const simgrid::s4u::Link* link : path.shared_links) {
    Bucket& shaper = bucket(*link);
    if (--shaper.messages == 0) shaper.since = now;
  }
}

}  // namespace tandem
