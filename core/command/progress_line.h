#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/record/progress.h"

namespace tandem {

/// Shows how far a sweep is: on a terminal one line on stderr that is drawn over and over, with a
/// bar, the rate and the time left; elsewhere plain lines on stdout, one a point and one every ten
/// seconds within a point.
class ProgressLine {
 public:
  explicit ProgressLine(int points);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin_point(const std::string& label);
  void update(const std::optional<Progress>& progress);
  /// `figures` as in "12.5 ms an iteration".
  void end_point(const std::string& figures);
  /// Removes the bar, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_left(const Progress& progress, double rate) const;
  std::string bar(const Progress& progress) const;

  bool terminal_;
  int points_;
  int point_ = 0;  ///< counted from 1
  std::string label_;
  Clock::time_point began_, point_began_, shown_;
  Clock::time_point
      first_seen_;  ///< when this point's first progress was read: rates count from it
  std::optional<Progress> first_;
};

/// "3:07", "1:02:11".
std::string clock_text(double seconds);

}  // namespace tandem
