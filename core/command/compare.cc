#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/command/commands.h"
#include "core/command/folder_claim.h"
#include "core/command/lab.h"
#include "core/command/outer_job.h"
#include "core/command/points.h"
#include "core/command/run.h"
#include "core/command/simulation.h"
#include "core/command/sweep_result.h"
#include "core/command/work_folder.h"
#include "core/record/comparison.h"
#include "core/record/text_table.h"
#include "core/record/trace.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

struct CompareOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
  int repeats = 1;
};

/// measured/, or measured/1, measured/2, ... of several repeats.
std::filesystem::path measured_folder(const std::filesystem::path& out, int repeats, int repeat) {
  return repeats == 1 ? out / "measured" : out / "measured" / std::to_string(repeat);
}

/// The folders in `out` that a comparison writes to or removes from.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> folders = {out / "predicted", out / "measured"};
  std::error_code none_there;
  for (const auto& repeat : std::filesystem::directory_iterator(out / "measured", none_there))
    folders.push_back(repeat.path());
  return folders;
}

/// What an older comparison left, whose halves would not belong together.
void remove_comparison(const std::filesystem::path& out) {
  std::error_code none_there;
  for (const char* file : {"comparison.csv", "members.csv", "timeline.json",
                           "predicted/summary.csv", "measured/summary.csv"})
    std::filesystem::remove(out / file, none_there);
  for (const auto& repeat : std::filesystem::directory_iterator(out / "measured", none_there))
    std::filesystem::remove(repeat.path() / "summary.csv", none_there);
}

/// The points of an unfinished comparison. Both worlds' stay until it is done: what was measured
/// counts only where it was predicted before.
class KeptHalves {
 public:
  KeptHalves(const std::filesystem::path& out, int repeats) : predicted_(out / "predicted") {
    for (int repeat = 1; repeat <= repeats; ++repeat)
      measured_.emplace_back(measured_folder(out, repeats, repeat));
  }

  const KeptPoints& predicted() const { return predicted_; }
  const KeptPoints& measured(int repeat) const { return measured_.at(repeat - 1); }

  /// As of KeptPoints, of both worlds.
  void require_none_but(const std::vector<Scenario>& points,
                        const std::vector<PointCheck>& of_simulation,
                        const std::vector<PointCheck>& of_run) const {
    predicted_.require_none_but(points, of_simulation);
    for (const KeptPoints& repeat : measured_) repeat.require_none_but(points, of_run);
  }
  /// What was measured of points whose predictions are still to be made, or to be made anew.
  void remove_unpredicted(const std::vector<Scenario>& points,
                          const std::vector<PointCheck>& of_simulation,
                          const std::vector<PointCheck>& of_run) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (predicted_.find(points[i], of_simulation[i])) continue;
      for (const KeptPoints& repeat : measured_) repeat.remove(points[i], of_run[i]);
    }
  }
  void remove() const {
    predicted_.remove();
    for (const KeptPoints& repeat : measured_) repeat.remove();
  }

 private:
  KeptPoints predicted_;
  std::vector<KeptPoints> measured_;
};

/// Each point as it was predicted, then as it was measured.
std::vector<PointResult> side_by_side(std::vector<PointResult> predicted,
                                      std::vector<PointResult> measured) {
  std::vector<PointResult> both;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    both.push_back(std::move(predicted[i]));
    both.push_back(std::move(measured[i]));
  }
  return both;
}

/// Where none is written: by what is measured in one go, and by devices that compute nothing.
void forget_checkpoints(std::vector<Scenario>& points) {
  for (Scenario& point : points) {
    if (point.is_paced()) point.faults.recovery.checkpoint_every.reset();
    if (point.is_paced() || point.faults.fail.empty()) point.checkpoint.reset();
  }
}

/// Nobody would see in the errors that another lab was predicted.
void warn_of_other_lab(const std::string& lab, const Scenario& scenario) {
  const std::string platform =
      scenario.topology ? scenario.platform : scenario.platform_file().string();
  const std::optional<std::string> part =
      unlike_lab(scenario.topology ? "" : read_file(platform), read_file(lab_platform(lab)));
  if (!part) return;
  print_line(stderr,
             fmt::format("tandem: warning: platform {}: {} is not as in lab {}; predicted is "
                         "what the platform describes, measured what the lab is",
                         platform, *part, lab));
}

// The prediction is on the disk before anything is measured, so that nobody can say it was fitted.
int compare(CompareOptions options) {
  if (options.launch.lab && !options.scenario.platform)
    options.scenario.platform = lab_platform(*options.launch.lab);
  const ScenarioFile file = options.scenario.load();
  require_platform(file);
  require_injectable(file, options.launch, true);
  if (outer_job_rank())
    throw InputError("tandem compare starts jobs itself; type it outside of mpirun and srun");
  const Backend simulation = simulation_backend(), run = run_backend(options.launch, false);
  const std::filesystem::path out = options.scenario.out_folder(file);
  require_free_files(out / "predicted");
  for (int repeat = 1; repeat <= options.repeats; ++repeat)
    require_free_files(measured_folder(out, options.repeats, repeat));
  const WorkFolder work(out);
  FolderClaim::require_none_of(folders_in(out), out);
  const RunInfo info{own_command(), file.path};
  std::vector<Scenario> points = with_baselines(file.points);
  forget_checkpoints(points);
  derive_checkpoints(points);

  check_each(points, [](const Scenario& point) {
    check_experiment(point, point.is_paced() ? DataCheck::kKnown : DataCheck::kThere);
  });
  SweepOptions of_simulation{
      .work = work.path(), .checks = require_room(points, simulation, work.path()), .jobs = {}};
  SweepOptions of_run{.work = work.path(), .checks = require_room(points, run, work.path())};
  if (options.launch.lab) warn_of_other_lab(*options.launch.lab, file.points[0]);
  LabUse lab(options.launch.lab);

  const KeptHalves kept(out, options.repeats);
  kept.require_none_but(points, of_simulation.checks, of_run.checks);
  remove_comparison(out);
  kept.remove_unpredicted(points, of_simulation.checks, of_run.checks);
  of_simulation.kept = &kept.predicted();
  const std::string count = counted(points.size(), "point");
  fmt::print("Predicting {} on {}\n", count, points[0].platform);
  const auto go_through = [&](const Backend& backend, const SweepOptions& how,
                              const std::filesystem::path& folder,
                              std::vector<PointResult>& results) {
    SweepOutcome outcome = run_sweep(points, backend, how);
    results = outcome.take_results();
    const bool is_whole = results.size() == points.size();
    return finish_sweep(results, outcome, folder, info, is_whole ? nullptr : how.kept);
  };
  std::vector<PointResult> predicted;
  if (const int code = go_through(simulation, of_simulation, out / "predicted", predicted))
    return code;

  std::vector<std::vector<PointResult>> measured(options.repeats);
  for (int repeat = 1; repeat <= options.repeats; ++repeat) {
    fmt::print("Measuring {} here{}\n", count,
               options.repeats > 1 ? fmt::format(", {} of {}", repeat, options.repeats) : "");
    const auto folder = measured_folder(out, options.repeats, repeat);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].checkpoint)
        points[i].checkpoint->path = work.path() / fmt::format("checkpoints-{}-{}", repeat, i + 1);
    of_run.kept = &kept.measured(repeat);
    if (const int code = go_through(run, of_run, folder, measured[repeat - 1])) return code;
  }

  const std::vector<ComparisonRow> rows = tandem::compare(predicted, measured);
  write_file_atomically(out / "members.csv", members_csv(compare_members(predicted, measured)));
  write_file_atomically(out / "comparison.csv", to_csv(rows));
  write_file_atomically(out / "timeline.json",
                        chrome_trace(side_by_side(std::move(predicted), std::move(measured[0])),
                                     TraceClock::kOfTrace));
  kept.remove();
  fmt::print("Predicted and measured\n\n{}\n", format_table(rows));
  std::fflush(stdout);
  lab.end();
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Predict a scenario, then run it, and lay the two side by side");
  add_scenario(*command, options->scenario);
  add_platform(*command, options->scenario);
  add_launch(*command, options->launch);
  add_out(*command, options->scenario);
  command->add_option("--repeats", options->repeats, "how often to measure; medians are compared")
      ->check(counts_from_one())
      ->capture_default_str();
  command->footer(
      "Examples:\n  tandem calibrate demo --out results/machine\n"
      "  tandem compare demo --platform results/machine/platform.xml\n"
      "In a lab that is up:\n"
      "  tandem calibrate demo --lab --device paced:k80 --out lab\n"
      "  tandem compare demo --lab --device paced:k80 --platform lab/platform.xml\n"
      "An error is (predicted - measured) / measured. Writes comparison.csv,\n"
      "members.csv, timeline.json (simulated and real members in one trace, for\n"
      "ui.perfetto.dev), and the result folders predicted/ and measured/, of several\n"
      "repeats measured/1 and so on. After an interruption the same command goes on\n"
      "with the points that are still to be done.");
  command->callback([&action, options] { action = [options] { return compare(*options); }; });
}

}  // namespace tandem
