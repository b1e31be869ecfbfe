#include "core/command/run.h"

#include "core/command/commands.h"
#include "core/command/outer_job.h"
#include "core/command/points.h"
#include "core/command/work_folder.h"

namespace tandem {
namespace {

struct RunOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
};

int run(const RunOptions& options) {
  const ScenarioFile file = options.scenario.load();
  const std::filesystem::path out = options.scenario.out_folder(file);
  const RunInfo info{own_command(), file.path};
  if (const auto rank = outer_job_rank()) return run_in_outer_job(file, *rank, out, info);
  const Backend backend = run_backend(options.launch);
  require_free_files(out);
  const WorkFolder work(out);
  const std::vector<Scenario> points = with_baselines(file.points);
  SweepOutcome outcome = run_sweep(points, backend, work.path());
  return finish_sweep(outcome, points.size(), out, info);
}

}  // namespace

Backend run_backend(const LaunchOptions& launch) {
  require_hostfile(launch);
  const std::string program = sibling_program("tandem-run");
  return {.command =
              [program, launch](const Scenario& point, const PointFiles& files) {
                return launch_command(launch, point.members(), point_arguments(program, files));
              },
          .shows_command = true};
}

void add_run(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Train for real over MPI, and measure it");
  add_scenario(*command, options->scenario);
  command
      ->add_option("-n", options->scenario.workers,
                   "workers, instead of the scenario's; servers are started beside them")
      ->type_name("WORKERS");
  add_launch(*command, options->launch);
  add_out(*command, options->scenario);
  command->footer(
      "Examples:\n  tandem run scenarios/fashion_mnist.yaml -n 2\n"
      "  tandem run demo --hostfile hosts.txt --out results/demo\n"
      "  tandem run demo --launcher 'srun --mpi=pmix'\n"
      "  mpirun -n 2 tandem run fashion_mnist    # as a rank of a job of your own");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace tandem
