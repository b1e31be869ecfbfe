#include "core/network/message_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/base/median.h"

namespace tandem {
namespace {

constexpr std::size_t kFewestSamples = 3;
constexpr std::size_t kMostSegments = 6;
constexpr double kWorthASegment = 0.75;
constexpr double kNoise = 5e-3;  ///< of a sample, at least, relative to it

using Samples = std::span<const MessageSample>;
using Segment = MessageCosts::Segment;

/// A line through some samples, and its sum of squared errors, each in units of its sample's noise.
struct Fit {
  Segment segment;
  double squares = 0;
};

/// Half the distance of its quartiles: of small messages much, of large ones hardly any.
Seconds noise(const MessageSample& sample) {
  return std::max((sample.high - sample.low) / 2, kNoise * sample.seconds);
}

Seconds error(const MessageSample& sample, const Segment& segment) {
  return segment.latency + static_cast<double>(sample.bytes) * segment.seconds_per_byte -
         sample.seconds;
}

/// What the quickest quarter of the messages of any one size took.
Seconds quickest(Samples samples) {
  return std::ranges::min(samples, {}, &MessageSample::low).low;
}

// Where a burst passes at once, the line of larger messages meets the axis right of 0, and that is
// right; but noise alone can have it say that they take less time than any smaller message did.
// Then it is the best of those through a point that no message is below: the quickest quarter of
// its smallest messages or, for the line of the smallest of all, no time for no bytes.
Fit fit_line(Samples smaller, Samples samples) {
  const bool of_smallest = smaller.empty();
  const double at = of_smallest ? 0 : static_cast<double>(samples.front().bytes);
  const Seconds least = of_smallest ? 0 : samples.front().low;
  const Seconds floor = of_smallest ? 0 : std::min(least, quickest(smaller));
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;  // x, y: from that point on
  for (const MessageSample& sample : samples) {
    const double weight = 1 / (noise(sample) * noise(sample));
    const double x = static_cast<double>(sample.bytes) - at;
    const double y = sample.seconds - least;
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }
  double slope = std::max(0.0, (w * wxy - wx * wy) / (w * wxx - wx * wx));
  Seconds above = (wy - slope * wx) / w;
  if (above + least < floor) {
    above = 0;
    slope = std::max(0.0, wxy / wxx);
  }
  const Seconds latency = least + above - at * slope;
  Fit fit{.segment = {.bytes = samples.back().bytes, .latency = latency, .seconds_per_byte = slope},
          .squares = 0};
  double relative_squares = 0;
  for (const MessageSample& sample : samples) {
    fit.squares += std::pow(error(sample, fit.segment) / noise(sample), 2);
    relative_squares += std::pow(error(sample, fit.segment) / sample.seconds, 2);
  }
  fit.segment.residual = std::sqrt(relative_squares / static_cast<double>(samples.size()));
  return fit;
}

/// The best split of all samples into a number of segments.
struct Split {
  std::vector<Segment> segments;
  double squares = std::numeric_limits<double>::infinity();
};

Split best_split(Samples samples, std::size_t segments) {
  if (samples.size() < segments * kFewestSamples) return {};
  if (segments == 1) {
    const Fit fit = fit_line({}, samples);
    return {{fit.segment}, fit.squares};
  }
  Split best;
  for (std::size_t last = kFewestSamples; last + kFewestSamples <= samples.size(); ++last) {
    const Samples smaller = samples.first(samples.size() - last);
    Split split = best_split(smaller, segments - 1);
    const Fit fit = fit_line(smaller, samples.last(last));
    split.squares += fit.squares;
    if (!(split.squares < best.squares)) continue;
    split.segments.push_back(fit.segment);
    best = std::move(split);
  }
  return best;
}

/// Between the last size of one segment and the first of the next nothing was measured. Where the
/// next one's line says there that messages take less than any smaller one did, they are like those
/// before.
void hold_until_possible(std::vector<Segment>& segments, Samples samples) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    const Segment& next = segments[i + 1];
    const auto larger =
        std::ranges::upper_bound(samples, segments[i].bytes, {}, &MessageSample::bytes);
    const Seconds floor = quickest({samples.begin(), larger});
    if (next.seconds_per_byte == 0) continue;
    const double possible_from = (floor - next.latency) / next.seconds_per_byte;
    segments[i].bytes =
        static_cast<std::size_t>(std::clamp(possible_from, static_cast<double>(segments[i].bytes),
                                            static_cast<double>(larger->bytes - 1)));
  }
}

/// What a token bucket paces goes at the rate of the largest messages, whatever its size: where a
/// few sizes make a steeper line, they take longer by some time each, the same for their middle
/// size, and not by the byte, by which streams of them would be slower than the link.
Segment no_steeper(Segment segment, const Segment& largest, std::size_t smaller) {
  const double steeper = segment.seconds_per_byte - largest.seconds_per_byte;
  if (steeper <= 0) return segment;
  segment.latency += steeper * static_cast<double>(smaller + segment.bytes) / 2;
  segment.seconds_per_byte = largest.seconds_per_byte;
  return segment;
}

}  // namespace

std::vector<MessageSample> medians_of(const std::vector<std::vector<MessageSample>>& jobs) {
  std::vector<MessageSample> medians = jobs.front();
  for (std::size_t i = 0; i < medians.size(); ++i) {
    for (Seconds MessageSample::*figure :
         {&MessageSample::seconds, &MessageSample::low, &MessageSample::high}) {
      std::vector<Seconds> of_jobs;
      for (const auto& samples : jobs) of_jobs.push_back(samples.at(i).*figure);
      medians[i].*figure = median(std::move(of_jobs));
    }
  }
  return medians;
}

const MessageCosts::Segment& MessageCosts::segment(std::size_t bytes) const {
  static const Segment kNothing;
  if (segments_.empty()) return kNothing;
  const auto found = std::ranges::lower_bound(segments_, bytes, {}, &Segment::bytes);
  return found == segments_.end() ? segments_.back() : *found;
}

// A segment across the burst's size becomes two. Where it is about as steep as the link, it is that
// of messages beyond the burst, and smaller ones are like those before. Of those that pass at once
// the samples don't show what the link takes when it lets no burst through: that is what it takes
// of larger ones.
MessageCosts MessageCosts::beyond(const NominalLink& link) const {
  const auto burst = static_cast<std::size_t>(link.burst);
  std::vector<Segment> left;
  std::size_t smaller = 0;  // than any of the segment
  double least = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = segments_[i];
    const bool begins_beyond =
        i > 0 && segment.bytes > burst && segment.seconds_per_byte > 0.5 / link.bandwidth;
    Segment at_once = begins_beyond ? segments_[i - 1] : segment;
    Segment paced = segment;
    if (burst > 0) paced = no_steeper(segment, segments_.back(), std::max(burst, smaller));
    at_once.latency -= link.latency;
    at_once.bytes = std::min(segment.bytes, burst);
    at_once.least_seconds_per_byte = std::exchange(at_once.seconds_per_byte, 0);
    if (at_once.bytes > smaller) {
      least = at_once.least_seconds_per_byte;
      left.push_back(at_once);
    }
    paced.latency +=
        link.burst * std::max(1 / link.bandwidth, paced.seconds_per_byte) - link.latency;
    paced.seconds_per_byte = std::max(0.0, paced.seconds_per_byte - 1 / link.bandwidth);
    paced.least_seconds_per_byte = least;
    if (paced.bytes > burst) left.push_back(paced);
    smaller = segment.bytes;
  }
  for (std::size_t i = left.size(); i-- > 1;) {
    if (left[i - 1].bytes <= burst) left[i - 1].seconds_per_byte = left[i].seconds_per_byte;
  }
  return MessageCosts(std::move(left));
}

MessageCosts::Segment line_through(const std::vector<MessageSample>& samples) {
  return fit_line({}, samples).segment;
}

MessageCosts fit_message_costs(const std::vector<MessageSample>& samples) {
  Split chosen = best_split(samples, 1);
  for (std::size_t segments = 2; segments <= kMostSegments; ++segments) {
    if (chosen.squares <= static_cast<double>(samples.size())) break;
    Split split = best_split(samples, segments);
    if (split.squares < kWorthASegment * chosen.squares) chosen = std::move(split);
  }
  hold_until_possible(chosen.segments, samples);
  return MessageCosts(std::move(chosen.segments));
}

}  // namespace tandem
