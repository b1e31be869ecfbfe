#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// What a message of a size takes one way, as it was measured.
struct MessageSample {
  std::size_t bytes = 0;
  Seconds seconds = 0;        ///< the median
  Seconds low = 0, high = 0;  ///< quartiles
};

/// Of samples of the same sizes by several jobs, one or more, the medians: what messages cost
/// differs from job to job by more than within one.
std::vector<MessageSample> medians_of(const std::vector<std::vector<MessageSample>>& jobs);

/// A way between two hosts, as a platform states it.
struct NominalLink {
  Seconds latency = 0;
  double bandwidth = 0;  ///< bytes/s, of the narrowest link
  double burst = 0;      ///< bytes that pass at once after a rest, as a token bucket lets them
};

/// What messages take, or what they take beyond their links: latency(bytes) + bytes *
/// seconds_per_byte(bytes). A line for each range of sizes, as a library treats small and large
/// messages in different ways (Clauss et al., "Single node on-line simulation of MPI applications
/// with SMPI", IPDPS 2011). Without segments it is nothing.
class MessageCosts {
 public:
  struct Segment {
    std::size_t bytes = 0;  ///< up to and with this size; the last one's holds for all above too
    Seconds latency = 0;
    double seconds_per_byte = 0;  ///< at least 0
    double residual = 0;          ///< root mean square of (fit - sample) / sample
    /// Of what is left beyond a link: a byte takes hosts so long at least, also one of a burst,
    /// which the link lets through at once.
    double least_seconds_per_byte = 0;
  };

  MessageCosts() = default;
  /// By ascending size.
  explicit MessageCosts(std::vector<Segment> segments) : segments_(std::move(segments)) {}

  Seconds latency(std::size_t bytes) const { return segment(bytes).latency; }
  double seconds_per_byte(std::size_t bytes) const { return segment(bytes).seconds_per_byte; }
  double least_seconds_per_byte(std::size_t bytes) const {
    return segment(bytes).least_seconds_per_byte;
  }
  Seconds time(std::size_t bytes) const {
    return latency(bytes) + static_cast<double>(bytes) * seconds_per_byte(bytes);
  }
  const std::vector<Segment>& segments() const { return segments_; }

  /// What is left of these, which were measured after rests, without the link's latency and time a
  /// byte. A latency is negative where the link's is longer. A byte takes no less than the link's
  /// time, and beyond a burst no more than one of the largest messages. What a burst let through
  /// was still copied: that is its least time, which goes on while the link takes its own for the
  /// rest.
  MessageCosts beyond(const NominalLink& link) const;

 private:
  const Segment& segment(std::size_t bytes) const;

  std::vector<Segment> segments_;
};

/// The one line through `samples`, of two sizes or more.
MessageCosts::Segment line_through(const std::vector<MessageSample>& samples);

/// The lines through `samples`, by ascending size: the fewest segments, at most six of three
/// samples or more each, beyond which one more does not take a quarter off the squared errors,
/// in units of each sample's noise, or which are as close as that noise already. No message takes
/// less than the quickest quarter of those of some size up to its own. Requires three samples at
/// least.
MessageCosts fit_message_costs(const std::vector<MessageSample>& samples);

}  // namespace tandem
