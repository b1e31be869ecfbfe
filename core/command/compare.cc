#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
#include "core/base/error.h"
#include "core/command/commands.h"
#include "core/command/lab.h"
#include "core/command/outer_job.h"
#include "core/command/points.h"
#include "core/command/run.h"
#include "core/command/simulate.h"
#include "core/command/work_folder.h"
#include "core/record/comparison.h"
#include "core/record/text_table.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

struct CompareOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
};

// The prediction is on the disk before anything is measured, so that nobody can say it was fitted.
int compare(CompareOptions options) {
  if (options.launch.lab && !options.scenario.platform)
    options.scenario.platform = lab_platform(*options.launch.lab);
  const ScenarioFile file = options.scenario.load();
  require_platform(file);
  if (outer_job_rank())
    throw InputError("tandem compare starts jobs itself; type it outside of mpirun and srun");
  const Backend simulation = simulation_backend(), run = run_backend(options.launch);
  const std::filesystem::path out = options.scenario.out_folder(file);
  for (const char* half : {"predicted", "measured"}) require_free_files(out / half);
  const WorkFolder work(out);
  const RunInfo info{own_command(), file.path};
  const std::vector<Scenario> points = with_baselines(file.points);

  for (const Scenario& point : points)
    check_experiment(point, !is_paced(point.device.value_or("")));

  std::error_code none_there;  // of an older comparison, whose halves would not belong together
  std::filesystem::remove(out / "comparison.csv", none_there);
  std::filesystem::remove(out / "measured" / "summary.csv", none_there);
  const std::string count = counted(points.size(), "point");
  fmt::print("Predicting {} on {}\n", count, points[0].platform);
  SweepOutcome predicted = run_sweep(points, simulation, work.path());
  if (const int code = finish_sweep(predicted, points.size(), out / "predicted", info)) return code;

  fmt::print("Measuring {} here\n", count);
  SweepOutcome measured = run_sweep(points, run, work.path());
  if (const int code = finish_sweep(measured, points.size(), out / "measured", info)) return code;

  const std::vector<ComparisonRow> rows =
      tandem::compare(summaries(predicted.results), summaries(measured.results));
  write_file_atomically(out / "comparison.csv", to_csv(rows));
  fmt::print("Predicted and measured\n\n{}\n", format_table(rows));
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
  command->footer(
      "Example:\n  tandem calibrate demo --out results/machine\n"
      "  tandem compare demo --platform results/machine/platform.xml\n"
      "  tandem compare demo --lab --device paced:k80    # in the lab that is up\n"
      "Writes comparison.csv, and the result folders predicted/ and measured/.");
  command->callback([&action, options] { action = [options] { return compare(*options); }; });
}

}  // namespace tandem
