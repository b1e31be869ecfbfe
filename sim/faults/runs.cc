#include "sim/faults/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/faults/bands.h"
#include "core/faults/failures.h"
#include "core/record/lost_time.h"
#include "core/training/experiment.h"
#include "sim/cast.h"
#include "sim/faults/apart.h"
#include "sim/faults/failed_hosts.h"
#include "sim/flat_cluster.h"

namespace tandem {
namespace {

using ProgressCall = std::function<void(int, int)>;

/// A kind of fault that has a simulation of its own.
struct Cause {
  const char* name;
  bool (*is_there)(const FaultsSpec&);
  void (*add)(FaultsSpec&, const FaultsSpec& all);
};

constexpr Cause kCauses[] = {
    {"slow devices", [](const FaultsSpec& f) { return !f.slow.empty(); },
     [](FaultsSpec& f, const FaultsSpec& all) { f.slow = all.slow; }},
    {"varying compute times", [](const FaultsSpec& f) { return f.compute.has_value(); },
     [](FaultsSpec& f, const FaultsSpec& all) { f.compute = all.compute; }},
    {"degraded links", [](const FaultsSpec& f) { return !f.links.empty(); },
     [](FaultsSpec& f, const FaultsSpec& all) { f.links = all.links; }},
    {"background traffic", [](const FaultsSpec& f) { return !f.traffic.empty(); },
     [](FaultsSpec& f, const FaultsSpec& all) { f.traffic = all.traffic; }},
};

/// The simulations of one point.
class Runs {
 public:
  Runs(const Scenario& scenario, std::filesystem::path scratch, ProgressCall progress)
      : scenario_(scenario), scratch_(std::move(scratch)), progress_(std::move(progress)) {
    for (const Cause& cause : kCauses)
      if (cause.is_there(scenario.faults)) causes_.push_back(cause);
    expected_ =
        scenario.faults.repeats * (static_cast<int>(causes_.size()) + 1 +
                                   static_cast<int>(fails() ? scenario.faults.fail.size() + 1 : 0));
  }

  PointResult all() {
    if (fails() && changes_in_time(platform_of({&scenario_, 1}).xml))
      throw InputError(fmt::format(
          "faults: platform {} changes by files in the course of time, which would begin anew "
          "whenever the job does; give faults.links with from and until instead of its files, or "
          "leave out fail and recovery",
          scenario_.platform));
    for (int i = 0; i < scenario_.faults.repeats; ++i) run_seed(i);
    PointResult& result = *first_;
    fill_bands(result.summary, summaries_);
    result.scenario = scenario_;
    result.lost = mean_of(lost_);
    result.summary.total_s = result.lost->total;
    result.summary.lost_s = result.lost->lost();
    for (const std::string& line : without_effect())
      result.environment["without_effect"].push_back(line);
    return std::move(result);
  }

 private:
  bool fails() const {
    return !scenario_.faults.fail.empty() || scenario_.recovery().checkpoint_every;
  }

  /// Keys of the whole, which none of the simulations has.
  std::vector<std::string> without_effect() const {
    std::vector<std::string> lines;
    const RecoverySpec& recovery = scenario_.faults.recovery;
    if (scenario_.faults.fail.empty() && recovery != RecoverySpec{} && recovery.write == 0)
      lines.emplace_back("faults.recovery: no host fails");
    const auto same = [&](const Summary& one) {
      return one.iteration_s == summaries_.front().iteration_s;
    };
    if (summaries_.size() > 1 && std::ranges::all_of(summaries_, same))
      lines.emplace_back("faults.repeats: all seeds give the same times");
    return lines;
  }

  Scenario with_seed(int index) const {
    Scenario point = scenario_;
    point.seed += static_cast<std::uint64_t>(index);
    point.faults = {};
    point.faults.fail = scenario_.faults.fail;  // for their hosts' names
    // What is lost is a difference between two simulations, of which trains can't do the later.
    if (scenario_.faults.befalls_network()) point.simulation.trains = false;
    return point;
  }

  PointResult run(const Scenario& point, const Segment& segment = {}) {
    const int before = done_++;
    expected_ = std::max(expected_, done_);
    return simulate_apart(point, segment, scratch_, [&](int done, int total) {
      if (progress_) progress_(before * total + done, expected_ * total);
    });
  }

  void run_seed(int index) {
    Scenario point = with_seed(index);
    LostTimes lost;
    std::optional<RunTime> before;
    for (std::size_t i = 0; i <= causes_.size(); ++i) {
      if (i > 0) causes_[i - 1].add(point.faults, scenario_.faults);
      const bool is_whole = i == causes_.size();
      Scenario run_point = point;
      if (!is_whole || index > 0) {  // its times alone count
        run_point.simulation.depth = Depth::kSizes;
        run_point.chakra = false;
      }
      PointResult result = run(run_point);
      const RunTime time = run_time(result.members);
      if (before) {
        lost.add(causes_[i - 1].name, *before, time);
      } else {
        lost.total = lost.undisturbed = time.total;
      }
      before = time;
      if (!is_whole) continue;
      summaries_.push_back(result.summary);
      if (fails()) go_through(point, result, before->total, lost);
      if (index == 0) first_ = std::move(result);
    }
    lost_.push_back(std::move(lost));
  }

  void go_through(const Scenario& point, PointResult& whole, Seconds undisturbed, LostTimes& lost) {
    const std::vector<Failure> failures =
        failures_of(scenario_, whole.environment.value("hosts", std::vector<std::string>()));
    const int iterations = static_cast<int>(whole.members.front().iterations.size());
    const FailedJob job = go_through_failures(
        failures, scenario_.recovery(), scenario_.workers, iterations, scenario_.stages(),
        [&](const TrainingStretch& stretch) {
          if (stretch.begin == 0) return iteration_times(whole.members);
          return iteration_times(
              run(segment_scenario(point, stretch), segment_of(point, stretch)).members);
        });
    add_failures(lost, job, undisturbed);
    if (summaries_.size() > 1) return;
    whole.environment["failures"] = describe(job);
    for (std::size_t i = 0; i < failures.size(); ++i) {
      if (!job.struck[i])
        whole.environment["without_effect"].push_back(
            fmt::format("faults.fail of {}: it strikes after the training's end, or nobody in it",
                        failures[i].label));
    }
  }

  const Scenario& scenario_;
  std::filesystem::path scratch_;
  ProgressCall progress_;
  std::vector<Cause> causes_;
  int done_ = 0, expected_ = 0;  ///< simulations
  std::optional<PointResult> first_;
  std::vector<Summary> summaries_;  ///< by seed, as the next
  std::vector<LostTimes> lost_;
};

}  // namespace

PointResult simulate_with_faults(const Scenario& scenario, const std::filesystem::path& scratch,
                                 const ProgressCall& progress) {
  return Runs(scenario, scratch, progress).all();
}

}  // namespace tandem
