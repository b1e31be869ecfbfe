#include "core/command/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/fnv.h"
#include "core/base/paths.h"
#include "core/command/commands.h"
#include "core/command/lab.h"
#include "core/command/outer_job.h"
#include "core/command/points.h"
#include "core/command/process.h"
#include "core/command/resume.h"
#include "core/command/sweep_result.h"
#include "core/command/work_folder.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

struct RunOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
  bool resume = false;
};

int run(const RunOptions& options) {
  const ScenarioFile file = options.scenario.load();
  require_undisturbed(file);
  const std::filesystem::path out = options.scenario.out_folder(file);
  const RunInfo info{own_command(), file.path};
  if (const auto rank = outer_job_rank())
    return run_in_outer_job(file, *rank, out, info, options.resume);
  const Backend backend = run_backend(options.launch);
  require_free_files(out);
  const WorkFolder work(out);
  std::vector<Scenario> points = with_baselines(file.points);
  // Whether the data is there is for its hosts to say.
  check_each(points, [](const Scenario& point) { check_experiment(point, DataCheck::kKnown); });
  resolve_checkpoints(points, out, options.resume);
  const KeptPoints kept(out);
  SweepOutcome outcome = run_sweep(
      points, backend,
      {.work = work.path(), .checks = require_room(points, backend, work.path()), .kept = &kept});
  std::vector<PointResult> results = outcome.take_results();
  return finish_sweep(results, outcome, out, info, &kept);
}

// With the options that a run has wherever it runs.
CLI::App* add_run_command(CLI::App& parent, const char* description,
                          const std::shared_ptr<RunOptions>& options, CommandAction& action) {
  CLI::App* command = parent.add_subcommand("run", description);
  add_scenario(*command, options->scenario);
  command
      ->add_option("-n", options->scenario.workers,
                   "workers, instead of the scenario's; servers are started beside them")
      ->type_name("WORKERS");
  add_device(*command, options->scenario);
  add_out(*command, options->scenario);
  add_chakra(*command, options->scenario);
  command->add_flag("--resume", options->resume,
                    "go on from the newest checkpoint of an earlier run, if there is one");
  command->callback([&action, options] { action = [options] { return run(*options); }; });
  return command;
}

// What a measurement follows from beside the scenario: the program, and where it runs.
std::string inputs_of(const std::string& program, const LaunchOptions& launch) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string inputs = read_file(program) + host.data() + shell_text(launch_command(launch, 1, {}));
  if (launch.hostfile) inputs += read_file(*launch.hostfile);
  return fnv1a_hex(std::as_bytes(std::span(inputs)));
}

// The text of a paced device's profile.
std::string profile_of(const Scenario& point) {
  if (!point.is_paced()) return "";
  return read_file(find_device(point.platform_file(), *point.device));
}

// Too few hosts show at the widest points, where there is somebody to ask.
std::vector<PointCheck> check_on_hosts(const std::vector<Scenario>& points,
                                       const std::string& program, const LaunchOptions& launch,
                                       const std::filesystem::path& folder) {
  const std::string inputs = inputs_of(program, launch);
  std::vector<PointCheck> checks;
  for (const Scenario& point : points)
    checks.push_back({.inputs = inputs + profile_of(point), .error = ""});
  const PointFiles files{folder / "check"};
  std::filesystem::create_directories(files.folder);
  for (const std::size_t index : widest_points(points)) {
    const std::vector<std::string> command =
        check_command(launch, points[index].members(), points[index].hosts());
    try {
      if (!command.empty()) run_check(command, files);
    } catch (const InputError& error) {
      checks[index].error = error.what();
    } catch (const RunError&) {  // of anything else the point's own run will tell
    }
  }
  return checks;
}

}  // namespace

void require_undisturbed(const ScenarioFile& file) {
  for (const Scenario& point : file.points) {
    if (point.faults.empty()) continue;
    std::vector<std::string> parts;
    const nlohmann::json faults = to_json(point.faults);
    for (const auto& [part, value] : faults.items()) parts.push_back(part);
    throw InputError(
        fmt::format("{}: faults.{}: a real run can't inject that yet; use tandem "
                    "simulate, or leave faults out",
                    file.path, fmt::join(parts, ", faults.")));
  }
}

Backend run_backend(const LaunchOptions& launch) {
  require_hosts(launch);
  const std::string program = sibling_program("tandem-run");
  return {.command =
              [program, launch](const Scenario& point, const PointFiles& files) {
                return launch_command(launch, point.members(), point_arguments(program, files),
                                      point.hosts());
              },
          .check =
              [program, launch](const std::vector<Scenario>& points,
                                const std::filesystem::path& folder) {
                return check_on_hosts(points, program, launch, folder);
              },
          .shows_command = true,
          .stops_at_failure = true};
}

void add_run(CLI::App& app, CommandAction& action) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      add_run_command(app, "Train for real over MPI, and measure it", options, action);
  add_launch(*command, options->launch);
  command->footer(
      "Examples:\n  tandem run scenarios/fashion_mnist.yaml -n 2\n"
      "  tandem run demo --hostfile hosts.txt --out results/demo\n"
      "  tandem run demo --set checkpoint.every=100 --resume\n"
      "  tandem run demo --launcher 'srun --mpi=pmix'\n"
      "  mpirun -n 2 tandem run fashion_mnist    # as a rank of a job of your own");
}

void add_lab_run(CLI::App& lab, CommandAction& action) {
  const auto options = std::make_shared<RunOptions>();
  options->launch.lab = default_lab();
  add_run_command(lab, "As tandem run, on the hosts of a lab", options, action)
      ->add_option("--name", options->launch.lab, "of the lab (default: $TANDEM_LAB, else lab)");
}

}  // namespace tandem
