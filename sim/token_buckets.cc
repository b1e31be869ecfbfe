#include "sim/token_buckets.h"

#include <algorithm>
#include <cmath>

#include "sim/burst.h"
#include "sim/changing_links.h"

namespace tandem {

TokenBuckets::Bucket& TokenBuckets::filled(const simgrid::s4u::Link& link, Seconds now,
                                           double beyond) {
  const auto [entry, is_new] = buckets_.try_emplace(&link);
  Bucket& bucket = entry->second;
  if (is_new) {
    bucket.depth = burst_of(link);
    bucket.tokens = bucket.depth;
  } else {
    // Others leave fewer tokens or none, but bytes that wait for some get theirs in time.
    const double nominal = let_through(link, bucket.since, now);
    const double left = 1 - std::min(1.0, bucket.others / bandwidth_now(link));
    const double come = nominal / (1 + bandwidth_now(link) * beyond);
    bucket.tokens = bucket.greedy > 0 ? std::min(0.0, bucket.tokens + come)
                                      : std::min(bucket.depth, bucket.tokens + come * left);
  }
  bucket.since = std::max(bucket.since, now);
  return bucket;
}

void TokenBuckets::others_begin(const std::vector<simgrid::s4u::Link*>& way, double rate,
                                Seconds now) {
  change_others(way, rate, 1, now);
}

void TokenBuckets::others_end(const std::vector<simgrid::s4u::Link*>& way, double rate,
                              Seconds now) {
  change_others(way, rate, -1, now);
}

// A greedy flow is through with a bucket's tokens in less time than a message takes.
void TokenBuckets::change_others(const std::vector<simgrid::s4u::Link*>& way, double rate,
                                 int count, Seconds now) {
  for (const simgrid::s4u::Link* link : way) {
    Bucket& bucket = filled(*link, now, 0);
    if (rate > 0) {
      bucket.others += count * rate;
    } else {
      bucket.greedy += count;
      bucket.tokens = std::min(bucket.tokens, 0.0);
    }
  }
}

// A shaper is done with a message of S bytes, T tokens and a rate R at the earliest after
// max(S * least time of a byte, (S - T) / R), since tokens come while bytes are being moved; with
// several on its way, the message is through when the last of them is done.
std::size_t TokenBuckets::begin(const Path& path, std::size_t bytes, Seconds now) {
  if (!path.has_bursts) return 0;
  const auto all = static_cast<double>(bytes);
  const double beyond = path.costs->seconds_per_byte(bytes);
  const double least = path.costs->least_seconds_per_byte(bytes);
  const double of_a_byte = 1 / path.bandwidth + beyond;
  double passed = all - all * least / of_a_byte;
  for (const simgrid::s4u::Link* link : path.shared_links) {
    Bucket& shaper = filled(*link, now, beyond);
    const double waiting = all - std::clamp(shaper.tokens, 0.0, all);
    const double late = waiting * path.bandwidth / bandwidth_now(*link);
    passed = std::min(passed, all - late);
    if (shaper.depth > 0) shaper.tokens -= all;
  }
  return static_cast<std::size_t>(std::floor(std::max(0.0, passed)));
}

}  // namespace tandem
