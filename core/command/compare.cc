#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/command/analysis.h"
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
  FigureOption figure{"compare"};
  int repeats = 1;
};

/// The folders of a comparison's halves: predicted/ and measured/, or of several repeats
/// measured/1, measured/2, ...
std::vector<std::filesystem::path> halves_of(int repeats) {
  std::vector<std::filesystem::path> halves = {"predicted"};
  if (repeats == 1) halves.emplace_back("measured");
  for (int repeat = 1; repeats > 1 && repeat <= repeats; ++repeat)
    halves.push_back(std::filesystem::path("measured") / std::to_string(repeat));
  return halves;
}

/// The folders in `out` that a comparison writes to or removes from.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> folders = {out / "predicted", out / "measured"};
  std::error_code none_there;
  for (const auto& repeat : std::filesystem::directory_iterator(out / "measured", none_there))
    if (repeat.is_directory()) folders.push_back(repeat.path());
  return folders;
}

constexpr const char* kTables[] = {"timeline.json", "members.csv", "comparison.csv"};

/// The comparison in `out`, finished or not, of however many repeats.
void remove_comparison(const std::filesystem::path& out) {
  std::error_code none_there;
  for (const char* table : kTables) std::filesystem::remove(out / table, none_there);
  for (const std::filesystem::path& half : folders_in(out)) remove_result(half);
}

/// Puts that in `from`, a folder of `out`, in its place.
void replace_comparison(const std::filesystem::path& from, const std::filesystem::path& out,
                        const std::vector<std::filesystem::path>& halves) {
  remove_comparison(out);
  for (const std::filesystem::path& half : halves) move_result_folder(from / half, out / half);
  for (const char* table : kTables) std::filesystem::rename(from / table, out / table);
}

/// The points of an unfinished comparison. Both worlds' stay until it is done: what was measured
/// counts only where it was predicted before.
class KeptHalves {
 public:
  KeptHalves(const std::filesystem::path& out, const std::vector<std::filesystem::path>& halves,
             bool has_older_comparison) {
    for (const std::filesystem::path& half : halves)
      halves_.emplace_back(out / half, has_older_comparison);
  }

  /// The prediction, then each repeat.
  const KeptPoints& operator[](std::size_t half) const { return halves_.at(half); }

  /// As of KeptPoints, of both worlds.
  void require_none_but(const std::vector<Scenario>& points,
                        const std::vector<PointCheck>& of_simulation,
                        const std::vector<PointCheck>& of_run) const {
    for (const KeptPoints& half : halves_)
      half.require_none_but(points, &half == &halves_[0] ? of_simulation : of_run);
  }
  /// What was measured of points whose predictions are still to be made, or to be made anew.
  void remove_unpredicted(const std::vector<Scenario>& points,
                          const std::vector<PointCheck>& of_simulation,
                          const std::vector<PointCheck>& of_run) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (halves_[0].find(points[i], of_simulation[i])) continue;
      for (std::size_t half = 1; half < halves_.size(); ++half)
        halves_[half].remove(points[i], of_run[i]);
    }
  }

 private:
  std::vector<KeptPoints> halves_;
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
  if (const int code = options.figure.check(out)) return code;
  const std::vector<std::filesystem::path> halves = halves_of(options.repeats);
  for (const std::filesystem::path& half : halves) require_free_files(out / half);
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

  // A finished one stays until this one is whole.
  const bool is_replacing = std::filesystem::exists(out / "comparison.csv");
  const std::filesystem::path tables = is_replacing ? work.path() / "tables" : out;
  const KeptHalves kept(out, halves, is_replacing);
  kept.require_none_but(points, of_simulation.checks, of_run.checks);
  if (!is_replacing) remove_comparison(out);
  kept.remove_unpredicted(points, of_simulation.checks, of_run.checks);
  const std::string count = counted(points.size(), "point");
  std::vector<std::vector<PointResult>> results(halves.size());
  const auto go_through = [&](const Backend& backend, SweepOptions& how, std::size_t half) {
    how.kept = &kept[half];
    SweepOutcome outcome = run_sweep(points, backend, how);
    results[half] = outcome.take_results();
    const bool is_whole = results[half].size() == points.size();
    return finish_sweep(results[half], outcome, (is_whole ? tables : out) / halves[half], info,
                        is_whole ? nullptr : how.kept);
  };
  fmt::print("Predicting {} on {}\n", count, points[0].platform);
  if (const int code = go_through(simulation, of_simulation, 0)) return code;
  for (int repeat = 1; repeat <= options.repeats; ++repeat) {
    fmt::print("Measuring {} here{}\n", count,
               options.repeats > 1 ? fmt::format(", {} of {}", repeat, options.repeats) : "");
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].checkpoint)
        points[i].checkpoint->path = work.path() / fmt::format("checkpoints-{}-{}", repeat, i + 1);
    if (const int code = go_through(run, of_run, static_cast<std::size_t>(repeat))) return code;
  }

  std::vector<PointResult> predicted = std::move(results.front());
  results.erase(results.begin());
  const std::vector<ComparisonRow> rows = tandem::compare(predicted, results);
  const std::vector<ComparisonRow> members = compare_members(predicted, results);
  write_file_atomically(tables / "members.csv", members_csv(members));
  write_file_atomically(tables / "timeline.json",
                        chrome_trace(side_by_side(std::move(predicted), std::move(results[0])),
                                     TraceClock::kOfTrace));
  // Last: it says that all is there.
  write_file_atomically(tables / "comparison.csv", to_csv(rows));
  if (is_replacing) replace_comparison(tables, out, halves);
  for (const std::filesystem::path& half : folders_in(out)) {
    KeptPoints(half).remove();
    std::error_code in_use;
    std::filesystem::remove(half, in_use);  // of a repeat that this comparison has none of
  }
  fmt::print("Predicted and measured\n\n{}\n", format_table(rows, members));
  std::fflush(stdout);
  lab.end();
  return options.figure.draw(out);
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
  options->figure.add_to(*command);
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
