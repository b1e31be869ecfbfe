#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "core/record/progress.h"

namespace tandem {

/// Shows how far a sweep is, whose points may run beside each other: on a terminal one line on
/// stderr that is drawn over and over, with a bar, the rate and the time left; elsewhere plain
/// lines on stdout, one a finished point and one every ten seconds between. Of one that is aside,
/// not what was asked for, the latter alone, on stderr.
class ProgressLine {
 public:
  /// Of a sweep's `points`, those to be run; by default all.
  explicit ProgressLine(int points, std::optional<int> to_run = std::nullopt,
                        bool is_aside = false);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Points are counted from 0, in the sweep's order.
  void begin_point(int point, const std::string& label);
  /// Draws, now and then.
  void update(int point, const std::optional<Progress>& progress);
  /// `figures` as in "12.5 ms an iteration".
  void end_point(int point, const std::string& figures);
  /// One that has ended without figures, as one that failed.
  void drop_point(int point);
  /// Removes the bar, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  struct Running {
    std::string label;
    Progress progress;
    /// The first that was read, and when: rates count from it.
    std::optional<Progress> first;
    Clock::time_point first_seen;
  };

  void draw();
  std::string bar() const;
  std::string bar_of_point(int point, const Running& running) const;
  std::string bar_of_sweep() const;
  /// Of all that is to be run: points that are done, parts of those that run included.
  double done() const;
  double seconds_left() const;

  bool terminal_;
  bool is_aside_;
  int points_;
  int to_run_;
  int finished_ = 0;
  std::map<int, Running> running_;
  Clock::time_point began_, shown_;
};

/// "3:07", "1:02:11".
std::string clock_text(double seconds);

}  // namespace tandem
