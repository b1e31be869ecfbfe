#include "core/network/message_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace tandem {
namespace {

constexpr std::size_t kFewestSamples = 3;
constexpr std::size_t kMostSegments = 6;
constexpr double kWorthASegment = 0.75;
constexpr double kGoodEnough = 1e-3;  ///< root mean square of relative errors

using Samples = std::span<const MessageSample>;
using Segment = MessageCosts::Segment;

/// A line through some samples, and its sum of squared relative errors.
struct Fit {
  Segment segment;
  double squares = 0;
};

double squares_of(Samples samples, const Segment& segment) {
  double squares = 0;
  for (const MessageSample& sample : samples) {
    const auto bytes = static_cast<double>(sample.bytes);
    const Seconds fitted = segment.latency + bytes * segment.seconds_per_byte;
    squares += std::pow(fitted / sample.seconds - 1, 2);
  }
  return squares;
}

// Weighted by 1 / seconds^2, so that each sample's relative error counts the same.
Fit fit_line(Samples samples) {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const MessageSample& sample : samples) {
    const double weight = 1 / (sample.seconds * sample.seconds);
    const auto x = static_cast<double>(sample.bytes);
    const double y = sample.seconds;
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wy += weight * y;
    wxy += weight * x * y;
  }
  double slope = std::max(0.0, (w * wxy - wx * wy) / (w * wxx - wx * wx));
  Seconds latency = (wy - slope * wx) / w;
  if (latency < 0) {  // the best of those that begin at 0
    latency = 0;
    slope = wxy / wxx;
  }
  Fit fit{.segment = {.bytes = samples.back().bytes, .latency = latency, .seconds_per_byte = slope},
          .squares = 0};
  fit.squares = squares_of(samples, fit.segment);
  fit.segment.residual = std::sqrt(fit.squares / static_cast<double>(samples.size()));
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
    const Fit fit = fit_line(samples);
    return {{fit.segment}, fit.squares};
  }
  Split best;
  for (std::size_t last = kFewestSamples; last + kFewestSamples <= samples.size(); ++last) {
    Split split = best_split(samples.first(samples.size() - last), segments - 1);
    const Fit fit = fit_line(samples.last(last));
    split.squares += fit.squares;
    if (!(split.squares < best.squares)) continue;
    split.segments.push_back(fit.segment);
    best = std::move(split);
  }
  return best;
}

}  // namespace

const MessageCosts::Segment& MessageCosts::segment(std::size_t bytes) const {
  static const Segment kNothing;
  if (segments_.empty()) return kNothing;
  const auto found = std::ranges::lower_bound(segments_, bytes, {}, &Segment::bytes);
  return found == segments_.end() ? segments_.back() : *found;
}

MessageCosts MessageCosts::beyond(const NominalLink& link) const {
  std::vector<Segment> left = segments_;
  for (Segment& segment : left) {
    segment.latency -= link.latency;
    segment.seconds_per_byte = std::max(0.0, segment.seconds_per_byte - 1 / link.bandwidth);
  }
  return MessageCosts(std::move(left));
}

MessageCosts fit_message_costs(const std::vector<MessageSample>& samples) {
  Split chosen = best_split(samples, 1);
  for (std::size_t segments = 2; segments <= kMostSegments; ++segments) {
    if (chosen.squares <= kGoodEnough * kGoodEnough * static_cast<double>(samples.size())) break;
    Split split = best_split(samples, segments);
    if (split.squares < kWorthASegment * chosen.squares) chosen = std::move(split);
  }
  return MessageCosts(std::move(chosen.segments));
}

}  // namespace tandem
