#include "core/command/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <list>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/main.h"
#include "core/base/processors.h"
#include "core/command/memory.h"
#include "core/command/naps.h"
#include "core/command/points.h"
#include "core/command/process.h"
#include "core/command/progress_line.h"
#include "core/command/running_point.h"
#include "core/command/warnings.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

std::string figures_of(const Summary& summary) {
  if (!summary.iteration_s) return "done";
  return fmt::format("{} ms an iteration, {} images/s", four_digits(*summary.iteration_s * 1e3),
                     four_digits(summary.images_per_s));
}

/// A sweep while it is run.
class Sweep {
 public:
  Sweep(const std::vector<Scenario>& points, const Backend& backend, const SweepOptions& options)
      : points_(points), backend_(backend), options_(options) {
    outcome_.points.resize(points.size());
    take_kept();
    for (const Scenario& point : points)
      memory_.push_back(options.jobs ? 0 : simulation_memory(point));
  }

  SweepOutcome run() {
    ProgressLine line(static_cast<int>(points_.size()), static_cast<int>(waiting_.size()),
                      options_.is_aside);
    line_ = &line;
    Naps naps;
    while (!waiting_.empty() || !running_.empty()) {
      if (interrupted() != 0) {
        outcome_.interrupted = true;
        break;
      }
      if (start_some() + collect_ended() > 0) naps.shorten();
      if (!outcome_.failures.empty() && backend_.stops_at_failure) waiting_.clear();
      for (RunningPoint& point : running_) {
        print_news(point);
        line.update(number(point), point.progress());
      }
      if (!running_.empty()) naps.take();
    }
    for (RunningPoint& point : running_) point.ask_to_end();
    running_.clear();  // waits for their ends
    line.clear();
    if (!options_.is_aside && !options_.is_part) warnings_.print(points_.size());
    return std::move(outcome_);
  }

 private:
  static int number(const RunningPoint& point) { return static_cast<int>(point.index()); }

  void print_news(RunningPoint& point) {
    for (const std::string& news : point.news()) {
      line_->clear();
      fmt::print("{}\n", at_point(points_, point.index(), news));
      std::fflush(stdout);
    }
  }

  void take_kept() {
    std::vector<std::size_t> chosen = options_.chosen, kept;
    for (std::size_t i = 0; options_.chosen.empty() && i < points_.size(); ++i) chosen.push_back(i);
    for (const std::size_t index : chosen) {
      if (options_.kept)
        outcome_.points[index] = options_.kept->find(points_[index], options_.checks[index]);
      if (outcome_.points[index]) warnings_.add(index, *outcome_.points[index]);
      (outcome_.points[index] ? kept : waiting_).push_back(index);
    }
    if (kept.empty()) return;
    fmt::print("Kept from before, in {}: {} of {} ({})\n", options_.kept->folder().string(),
               kept.size(), counted(points_.size(), "point"), point_ranges(kept));
    std::fflush(stdout);
  }

  bool has_room(std::size_t index) const {
    if (running_.empty()) return true;
    if (options_.jobs) return running_.size() < static_cast<std::size_t>(*options_.jobs);
    double needed = memory_[index];
    for (const RunningPoint& other : running_) needed += memory_[other.index()];
    return running_.size() < static_cast<std::size_t>(processor_count()) && needed <= free_memory_;
  }

  int start_some() {
    int started = 0;
    while (!waiting_.empty() && has_room(waiting_.front())) {
      const std::size_t index = waiting_.front();
      waiting_.erase(waiting_.begin());
      start(index);
      ++started;
    }
    return started;
  }

  void start(std::size_t index) {
    const Scenario& point = points_[index];
    const PointFiles files{options_.work / fmt::format("point-{}", index)};
    if (backend_.shows_command) {
      line_->clear();
      print_command(backend_.command(point, files));
      std::fflush(stdout);
    }
    line_->begin_point(static_cast<int>(index), label_of(point));
    try {
      running_.emplace_back(index, point, backend_, files);
    } catch (const InputError& error) {
      fail({.point = index, .message = error.what(), .exit_code = kExitBadInput});
    }
  }

  int collect_ended() {
    int ended = 0;
    for (auto point = running_.begin(); point != running_.end();) {
      if (!point->has_ended() || interrupted() != 0) {
        ++point;
        continue;
      }
      collect(*point);
      point = running_.erase(point);
      ++ended;
    }
    return ended;
  }

  void collect(RunningPoint& point) {
    const std::size_t index = point.index();
    print_news(point);
    if (!point.succeeded()) return fail(point.failure());
    try {
      PointResult result = PointResult::load(point.files().result(), points_[index]);
      if (options_.kept)
        options_.kept->keep(points_[index], options_.checks[index], point.files().result());
      line_->end_point(number(point), figures_of(result.summary));
      line_->clear();
      warnings_.add(index, result);
      outcome_.points[index] = std::move(result);
    } catch (const std::exception& error) {
      fail({.point = index, .message = error.what(), .exit_code = kExitRunFailed});
    }
    std::filesystem::remove_all(point.files().folder);
  }

  void fail(SweepFailure failure) {
    line_->drop_point(static_cast<int>(failure.point));
    failure.message = one_line(at_point(points_, failure.point, failure.message));
    outcome_.failures.push_back(std::move(failure));
  }

  const std::vector<Scenario>& points_;
  const Backend& backend_;
  const SweepOptions& options_;
  SweepOutcome outcome_;
  Warnings warnings_;
  std::vector<std::size_t> waiting_;  ///< in order
  std::list<RunningPoint> running_;
  ProgressLine* line_ = nullptr;
  std::vector<double> memory_;  ///< of each point, where memory says how many run at a time
  const double free_memory_ = free_memory();
};

/// What it says beside numbers: points that need other amounts of the same are refused alike.
std::string without_numbers(std::string message) {
  std::erase_if(message, [](unsigned char c) { return std::isdigit(c) || c == '.'; });
  return message;
}

/// Says each kind of reason once, by the first point that has it.
std::vector<PointCheck> refuse_bad(const std::vector<Scenario>& points,
                                   std::vector<PointCheck> checks) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> kinds;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].error.empty()) continue;
    const std::string kind = without_numbers(checks[i].error);
    auto known = std::ranges::find(kinds, kind, [](const auto& other) { return other.first; });
    if (known == kinds.end()) known = kinds.insert(kinds.end(), {kind, {}});
    known->second.push_back(i);
  }
  if (kinds.empty()) return checks;
  std::string message;
  for (const auto& [kind, bad] : kinds) {
    message += (message.empty() ? "" : "; ") + at_point(points, bad[0], checks[bad[0]].error);
    if (bad.size() > 1)
      message += fmt::format(" (and likewise {}: {})", counted(bad.size() - 1, "point"),
                             point_ranges({bad.begin() + 1, bad.end()}));
  }
  throw InputError(message);
}

// A sweep's results are all in memory in the end, some 200 bytes a record: 10 GB.
void require_room_for_records(const std::vector<PointCheck>& checks) {
  constexpr double kMost = 5e7;
  double records = 0;
  for (const PointCheck& check : checks) records += check.records;
  if (records > kMost)
    throw InputError(
        fmt::format("iterations times members are {:.3g} over all points, of which at most {:.3g} "
                    "can be recorded; give fewer iterations, or fewer points",
                    records, kMost));
}

}  // namespace

std::string at_point(const std::vector<Scenario>& points, std::size_t index,
                     const std::string& message) {
  if (points.size() == 1) return message;
  return fmt::format("point {} of {} ({}): {}", index + 1, points.size(), label_of(points[index]),
                     message);
}

std::string point_ranges(const std::vector<std::size_t>& points) {
  std::string text;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t last = i;
    while (last + 1 < points.size() && points[last + 1] == points[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", points[i] + 1);
    if (last > i) text += fmt::format("-{}", points[last] + 1);
    i = last + 1;
  }
  return text;
}

void check_each(const std::vector<Scenario>& points,
                const std::function<void(const Scenario&)>& check) {
  std::vector<PointCheck> checks(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    try {
      check(points[i]);
    } catch (const InputError& error) {
      checks[i].error = error.what();
    }
  }
  refuse_bad(points, std::move(checks));
}

std::vector<PointCheck> require_room(const std::vector<Scenario>& points, const Backend& backend,
                                     const std::filesystem::path& folder,
                                     const std::vector<std::size_t>& chosen) {
  std::vector<PointCheck> checks;
  if (chosen.empty()) {
    checks = backend.check(points, folder);
  } else {
    std::vector<Scenario> some;
    some.reserve(chosen.size());
    for (const std::size_t index : chosen) some.push_back(points[index]);
    const std::vector<PointCheck> found = backend.check(some, folder);
    checks.resize(points.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) checks[chosen[i]] = found[i];
  }
  checks = refuse_bad(points, std::move(checks));
  require_room_for_records(checks);
  return checks;
}

std::size_t SweepOutcome::finished() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [](const auto& point) { return point.has_value(); }));
}

std::vector<PointResult> SweepOutcome::take_results() {
  std::vector<PointResult> results;
  for (std::optional<PointResult>& point : points)
    if (point) results.push_back(std::move(*point));
  return results;
}

SweepOutcome run_sweep(const std::vector<Scenario>& points, const Backend& backend,
                       const SweepOptions& options) {
  return Sweep(points, backend, options).run();
}

}  // namespace tandem
