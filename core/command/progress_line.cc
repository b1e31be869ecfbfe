#include "core/command/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kRedraw{200};
constexpr std::chrono::seconds kPlainInterval{10};
constexpr int kBarWidth = 10;
constexpr std::size_t kLabelWidth = 30, kTerminalWidth = 80;  // a longer line would wrap
constexpr const char* kEraseLine = "\r\x1b[2K";

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressLine::ProgressLine(int points)
    : terminal_(isatty(STDERR_FILENO) != 0), points_(points), began_(Clock::now()) {}

void ProgressLine::begin_point(const std::string& label) {
  ++point_;
  label_ = label;
  point_began_ = Clock::now();
  shown_ = terminal_ ? Clock::time_point{} : point_began_;
  first_.reset();
  update(Progress{});
}

void ProgressLine::update(const std::optional<Progress>& progress) {
  if (!progress) return;
  const Clock::time_point now = Clock::now();
  if (!first_ && progress->done > 0) {
    first_ = progress;
    first_seen_ = now;
  }
  if (now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainInterval)))
    return;
  shown_ = now;
  if (terminal_) {
    fmt::print(stderr, "{}{:.{}}", kEraseLine, bar(*progress), kTerminalWidth - 1);
  } else {
    fmt::print("{}\n", bar(*progress));
  }
  std::fflush(terminal_ ? stderr : stdout);
}

double ProgressLine::seconds_left(const Progress& progress, double rate) const {
  const double this_point = (progress.total - progress.done) / rate;
  const int finished = point_ - 1;
  const double a_point = finished > 0 ? seconds(point_began_ - began_) / finished
                                      : seconds(Clock::now() - point_began_) + this_point;
  return this_point + a_point * (points_ - point_);
}

std::string ProgressLine::bar(const Progress& progress) const {
  const double share =
      progress.total > 0 ? std::clamp(double(progress.done) / progress.total, 0.0, 1.0) : 0;
  const int filled = static_cast<int>(share * kBarWidth);
  std::string text = fmt::format("[{}/{}] {:.{}}  {}{}", point_, points_, label_, kLabelWidth,
                                 std::string(filled, '#'), std::string(kBarWidth - filled, '.'));
  if (progress.total > 0) text += fmt::format(" {}/{}", progress.done, progress.total);
  if (!first_ || progress.done <= first_->done) return text;
  const double rate = (progress.done - first_->done) / seconds(Clock::now() - first_seen_);
  return text + fmt::format(" {:.3g}/s {} left", rate, clock_text(seconds_left(progress, rate)));
}

void ProgressLine::end_point(const std::string& figures) {
  if (terminal_) return;
  fmt::print("[{}/{}] {}: {}\n", point_, points_, label_, figures);
  std::fflush(stdout);
}

void ProgressLine::clear() {
  if (!terminal_) return;
  fmt::print(stderr, "{}", kEraseLine);
  std::fflush(stderr);
}

}  // namespace tandem
