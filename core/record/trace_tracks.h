#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/record/recorder.h"

namespace tandem {

/// A track of a member in trace.json. Each lane has the one of its number; those beyond are further
/// ones of the last lane, whose communications may overlap.
inline constexpr int kFirstFurtherTrack = static_cast<int>(Lane::kCommunication) + 1;

/// The lane of a track, which is 0 or more.
inline Lane lane_of_track(int track) {
  return static_cast<Lane>(std::min(track, static_cast<int>(Lane::kCommunication)));
}

/// Gives communications, which come in the order of their begins, the first track on which nothing
/// is under way any more: viewers drop what crosses another on its track.
class CommunicationTracks {
 public:
  /// In whole units of time.
  int place(std::int64_t begin, std::int64_t end) {
    while (!busy_.empty() && busy_.top().first <= begin) {
      free_.push(busy_.top().second);
      busy_.pop();
    }
    if (free_.empty()) free_.push(next_++);
    const int track = free_.top();
    free_.pop();
    busy_.emplace(end, track);
    return track;
  }

  /// One beyond the last.
  int end() const { return next_; }

 private:
  template <typename Entry>
  using LeastFirst = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

  int next_ = static_cast<int>(Lane::kCommunication);
  LeastFirst<int> free_;
  LeastFirst<std::pair<std::int64_t, int>> busy_;  ///< until when
};

}  // namespace tandem
