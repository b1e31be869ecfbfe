#include "core/interchange/lane_states.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tandem {
namespace {

/// To nanoseconds: what ends where the next begins need not be the same number in a file.
Seconds rounded(Seconds time) {
  constexpr double kNanosecondsPerSecond = 1e9;
  return std::round(time * kNanosecondsPerSecond) / kNanosecondsPerSecond;
}

std::string kind_of(const Span& span) {
  return span.lane == Lane::kCompute && !span.phase.empty() ? span.phase : span.name;
}

/// Goes through time, from one begin or end of a span to the next.
class Sweep {
 public:
  explicit Sweep(const std::vector<const Span*>& spans) : spans_(spans) {}

  std::vector<LaneState> states() {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      turns_.push_back({rounded(spans_[i]->begin), true, i});
      turns_.push_back({rounded(spans_[i]->end), false, i});
    }
    std::ranges::sort(turns_, {},
                      [](const Turn& turn) { return std::pair(turn.time, turn.begins); });
    Seconds from = 0;
    for (const Turn& turn : turns_) {
      if (!under_way_.empty() && turn.time > from) add(from, turn.time);
      turn.begins ? begin(turn.span) : end(turn.span);
      from = turn.time;
    }
    return std::move(states_);
  }

 private:
  struct Turn {
    Seconds time;
    bool begins;
    std::size_t span;
  };

  void begin(std::size_t span) {
    under_way_.insert(span);
    ++kinds_[kind_of(*spans_[span])];
  }

  void end(std::size_t span) {
    under_way_.erase(span);
    const auto kind = kinds_.find(kind_of(*spans_[span]));
    if (--kind->second == 0) kinds_.erase(kind);
  }

  void add(Seconds begin, Seconds end) {
    std::string kinds;
    for (const auto& [kind, count] : kinds_) kinds += (kinds.empty() ? "" : " + ") + kind;
    const Span* first = spans_[*under_way_.begin()];
    LaneState* before = states_.empty() ? nullptr : &states_.back();
    if (before && before->end == begin && before->kind == kinds && before->first == first) {
      before->end = end;
    } else {
      states_.push_back({begin, end, std::move(kinds), first});
    }
  }

  const std::vector<const Span*>& spans_;  ///< in the order in which they begin
  std::vector<Turn> turns_;
  std::set<std::size_t> under_way_;
  std::map<std::string, int> kinds_;  ///< of those under way, how many there are
  std::vector<LaneState> states_;
};

}  // namespace

std::vector<LaneState> lane_states(std::vector<const Span*> spans) {
  std::erase_if(spans, [](const Span* span) { return rounded(span->end) <= rounded(span->begin); });
  std::ranges::stable_sort(spans, {}, &Span::begin);
  return Sweep(spans).states();
}

}  // namespace tandem
