#include <fmt/format.h>

#include "core/base/error.h"
#include "core/command/chosen_points.h"
#include "core/command/commands.h"
#include "core/command/points.h"
#include "core/command/scaling_search.h"
#include "core/command/simulation.h"
#include "core/command/slurm.h"
#include "core/command/sweep_result.h"
#include "core/command/work_folder.h"
#include "core/record/text_table.h"

namespace tandem {
namespace {

struct SimulateOptions {
  ScenarioOptions scenario;
  std::optional<int> jobs;
  std::string points;
  bool join = false;
  std::string slurm;
  std::optional<double> until_efficiency;
};

// Throws InputError where some were not kept: nothing is run here.
void require_kept(const std::vector<Scenario>& points, const SweepOptions& how) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!how.kept->find(points[i], how.checks[i])) missing.push_back(i);
  if (missing.empty()) return;
  throw InputError(fmt::format("{} lacks {} of {}; run with --points {} first",
                               how.kept->folder().string(), missing.size(),
                               counted(points.size(), "point"), point_ranges(missing)));
}

int simulate(const SimulateOptions& options) {
  const ScenarioFile file = options.scenario.load();
  require_platform(file);
  const Backend backend = simulation_backend();
  const std::filesystem::path out = options.scenario.out_folder(file);
  const RunInfo info{own_command(), file.path};
  if (options.until_efficiency)
    return search_scaling(file, *options.until_efficiency, options.jobs, out, info);
  require_free_files(out);
  const std::vector<Scenario> points = with_baselines(file.points);
  const std::vector<std::size_t> chosen = chosen_points(options.points, points.size());
  const WorkFolder work(out, chosen.empty() ? Sharing::kAlone : Sharing::kWithOthers);
  check_simulated(points);
  const KeptPoints kept(out);
  const SweepOptions how{.work = work.path(),
                         .checks = require_room(points, backend, work.path(), chosen),
                         .kept = &kept,
                         .chosen = chosen,
                         .jobs = options.jobs};
  if (!options.slurm.empty())
    return write_array_script(options.slurm, options.scenario, points, out);
  if (options.join) require_kept(points, how);
  if (chosen.empty()) kept.require_none_but(points, how.checks);
  SweepOutcome outcome = run_sweep(points, backend, how);
  if (!chosen.empty()) return finish_chosen(outcome, chosen, kept);
  std::vector<PointResult> results = outcome.take_results();
  return finish_sweep(results, outcome, out, info, &kept);
}

void add_sweep_options(CLI::App& command, SimulateOptions& options) {
  CLI::Option* points =
      command
          .add_option("--points", options.points,
                      "run these points of the sweep alone, such as 3,7-9, and keep them in the "
                      "result folder")
          ->type_name("NUMBERS");
  CLI::Option* join = command.add_flag("--join", options.join,
                                       "run nothing: write the tables of a sweep whose points all "
                                       "were run with --points");
  CLI::Option* slurm =
      command
          .add_option("--slurm", options.slurm,
                      "run nothing: write a Slurm script, an array of one task a point")
          ->type_name("FILE");
  CLI::Option* until =
      command
          .add_option("--until-efficiency", options.until_efficiency,
                      "find the largest number of workers whose scaling efficiency is at least "
                      "this, such as 0.8")
          ->check(share())
          ->type_name("SHARE");
  for (CLI::Option* option : {join, slurm, until}) points->excludes(option);
  for (CLI::Option* option : {slurm, until}) join->excludes(option);
  slurm->excludes(until);
}

}  // namespace

void add_simulate(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Predict a scenario's training speed on a simulated platform");
  add_scenario(*command, options->scenario);
  add_platform(*command, options->scenario);
  add_out(*command, options->scenario);
  add_chakra(*command, options->scenario);
  add_jobs(*command, options->jobs);
  add_sweep_options(*command, *options);
  command->footer(
      "Examples:\n  tandem simulate scenarios/thesis_ps_vs_ring.yaml --out results/thesis\n"
      "  tandem simulate demo --platform gcp_k80 --until-efficiency 0.5\n"
      "Writes summary.csv, iterations.csv, run.json, trace.json (for ui.perfetto.dev).\n"
      "What an interruption leaves, the same command goes on from.");
  command->callback([&action, options] { action = [options] { return simulate(*options); }; });
}

}  // namespace tandem
