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

double share_done(const Progress& progress) {
  return progress.total > 0 ? std::clamp(double(progress.done) / progress.total, 0.0, 1.0) : 0;
}

std::string bar_of(double share) {
  const int filled = static_cast<int>(share * kBarWidth);
  return std::string(filled, '#') + std::string(kBarWidth - filled, '.');
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

ProgressLine::ProgressLine(int points, std::optional<int> to_run, bool is_aside)
    : terminal_(isatty(STDERR_FILENO) != 0),
      is_aside_(is_aside),
      points_(points),
      to_run_(to_run.value_or(points)),
      began_(Clock::now()),
      shown_(terminal_ ? Clock::time_point{} : began_) {}

void ProgressLine::begin_point(int point, const std::string& label) {
  running_[point] = {.label = label, .progress = {}, .first = {}, .first_seen = {}};
  draw();
}

void ProgressLine::update(int point, const std::optional<Progress>& progress) {
  if (!progress) return;
  Running& running = running_.at(point);
  running.progress = *progress;
  if (!running.first && progress->done > 0) {
    running.first = progress;
    running.first_seen = Clock::now();
  }
  draw();
}

void ProgressLine::draw() {
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainInterval)))
    return;
  shown_ = now;
  if (terminal_) {
    fmt::print(stderr, "{}{:.{}}", kEraseLine, bar(), kTerminalWidth - 1);
  } else {
    fmt::print(is_aside_ ? stderr : stdout, "{}\n", bar());
  }
  std::fflush(terminal_ || is_aside_ ? stderr : stdout);
}

double ProgressLine::done() const {
  double done = finished_;
  for (const auto& [point, running] : running_) done += share_done(running.progress);
  return done;
}

double ProgressLine::seconds_left() const {
  return seconds(Clock::now() - began_) * (to_run_ / done() - 1);
}

std::string ProgressLine::bar() const {
  return running_.size() == 1 ? bar_of_point(running_.begin()->first, running_.begin()->second)
                              : bar_of_sweep();
}

std::string ProgressLine::bar_of_point(int point, const Running& running) const {
  const Progress& progress = running.progress;
  std::string text = fmt::format("[{}/{}] {:.{}}  {}", point + 1, points_, running.label,
                                 kLabelWidth, bar_of(share_done(progress)));
  if (progress.total > 0) text += fmt::format(" {}/{}", progress.done, progress.total);
  if (!running.first || progress.done <= running.first->done) return text;
  const double rate =
      (progress.done - running.first->done) / seconds(Clock::now() - running.first_seen);
  const double left = to_run_ == 1 ? (progress.total - progress.done) / rate : seconds_left();
  return text + fmt::format(" {:.3g}/s {} left", rate, clock_text(left));
}

std::string ProgressLine::bar_of_sweep() const {
  std::string text = fmt::format("{}/{} points, {} running  {}", points_ - to_run_ + finished_,
                                 points_, running_.size(), bar_of(done() / to_run_));
  const double elapsed = seconds(Clock::now() - began_);
  if (done() <= 0 || elapsed < 1) return text;  // too early to tell
  const double rate = done() / elapsed;
  return text + fmt::format(" {:.3g} points/s {} left", rate, clock_text(seconds_left()));
}

void ProgressLine::end_point(int point, const std::string& figures) {
  const std::string label = running_.at(point).label;
  running_.erase(point);
  ++finished_;
  if (terminal_ || is_aside_) return;
  fmt::print("[{}/{}] {}: {}\n", point + 1, points_, label, figures);
  std::fflush(stdout);
}

void ProgressLine::drop_point(int point) {
  running_.erase(point);
  ++finished_;
}

void ProgressLine::clear() {
  if (!terminal_) return;
  fmt::print(stderr, "{}", kEraseLine);
  std::fflush(stderr);
}

}  // namespace tandem
