#include "core/command/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/device_name.h"
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
#include "core/record/text_table.h"
#include "core/training/checkpoint/manifest.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

struct RunOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
  bool resume = false;
  bool elastic = false;
  std::optional<std::string> workers, least, most;
};

/// What the run's own options change of the scenario.
std::vector<Override> overrides_of(const RunOptions& options) {
  std::vector<Override> overrides;
  if (const auto& least = options.least)
    overrides.push_back({"faults.recovery.min_workers=" + *least, "--min " + *least});
  if (const auto& workers = options.workers)
    overrides.push_back({"workers=" + *workers, "-n " + *workers});
  if (const auto& most = options.most) overrides.push_back({"workers=" + *most, "--max " + *most});
  return overrides;
}

/// As the job is to go on with at least.
void require_as_many(const std::vector<Scenario>& points, const char* key) {
  int least = 1, most = 0;
  for (const Scenario& point : points) {
    least = point.faults.recovery.min_workers;
    most = std::max(most, point.workers);
  }
  if (least > most)
    throw InputError(fmt::format("{} is {}, but there {} {}; give at most as many", key, least,
                                 most == 1 ? "is" : "are", counted(most, "worker")));
}

/// Whether what ended the sweep need not befall it again. Of an elastic run the message itself may
/// say how to go on.
bool may_go_on(const SweepOutcome& outcome) {
  return outcome.interrupted ||
         std::ranges::any_of(outcome.failures, [](const SweepFailure& failure) {
           return failure.exit_code == kExitRunFailed &&
                  failure.message.find("--resume") == std::string::npos;
         });
}

/// How to go on with a sweep that was stopped, of which a point that was not finished has a
/// checkpoint; empty where none has.
std::string how_to_resume(const std::vector<Scenario>& points, const SweepOutcome& outcome) {
  if (!may_go_on(outcome)) return "";
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (outcome.points[i] || !points[i].checkpoint || points[i].is_paced()) continue;
    const std::vector<int> saved = complete_checkpoints(*points[i].checkpoint->path);
    if (!saved.empty())
      return fmt::format("; the same command with --resume goes on after iteration {}{}",
                         saved.front(),
                         points.size() == 1 ? "" : fmt::format(" of point {}", i + 1));
  }
  return "";
}

int run(RunOptions options) {
  options.scenario.more = overrides_of(options);
  const ScenarioFile file = options.scenario.load();
  require_injectable(file, options.launch, options.elastic);
  if (options.elastic)
    require_as_many(file.points, options.least ? "--min" : "faults.recovery.min_workers");
  const std::filesystem::path out = options.scenario.out_folder(file);
  const RunInfo info{own_command(), file.path};
  if (options.elastic && outer_job_rank())
    throw InputError("--elastic starts jobs itself; type the command outside of mpirun and srun");
  if (const auto rank = outer_job_rank())
    return run_in_outer_job(file, *rank, out, info, options.resume);
  const Backend backend = run_backend(options.launch, options.elastic);
  require_free_files(out);
  const WorkFolder work(out);
  std::vector<Scenario> points = with_baselines(file.points);
  // Whether the data is there is for its hosts to say.
  check_each(points, [](const Scenario& point) { check_experiment(point, DataCheck::kKnown); });
  if (options.elastic) derive_checkpoints(points);
  const KeptPoints kept(out);
  const SweepOptions how{
      .work = work.path(), .checks = require_room(points, backend, work.path()), .kept = &kept};
  kept.require_none_but(points, how.checks);
  const auto is_done = [&](std::size_t i) {
    return kept.find(points[i], how.checks[i]).has_value();
  };
  const std::vector<CommandLock> held = resolve_checkpoints(points, out, options.resume, is_done);
  LabUse lab(options.launch.lab);
  SweepOutcome outcome = run_sweep(points, backend, how);
  if (outcome.failures.empty()) lab.end();
  std::vector<PointResult> results = outcome.take_results();
  return finish_sweep(results, outcome, out, info, &kept, print_summaries,
                      how_to_resume(points, outcome));
}

// With the options that a run has wherever it runs.
CLI::App* add_run_command(CLI::App& parent, const char* description,
                          const std::shared_ptr<RunOptions>& options, CommandAction& action) {
  CLI::App* command = parent.add_subcommand("run", description);
  add_scenario(*command, options->scenario);
  CLI::Option* workers =
      command
          ->add_option("-n", options->workers,
                       "workers, instead of the scenario's; servers are started beside them")
          ->type_name("WORKERS");
  add_device(*command, options->scenario);
  add_out(*command, options->scenario);
  add_chakra(*command, options->scenario);
  command->add_flag("--resume", options->resume,
                    "go on from the newest checkpoint of an earlier run, if there is one");
  CLI::Option* elastic = command->add_flag(
      "--elastic", options->elastic,
      "go on from the last checkpoint when workers are lost, and take back those who return");
  command->add_option("--min", options->least, "with --elastic: give up with fewer workers")
      ->type_name("WORKERS")
      ->needs(elastic);
  command->add_option("--max", options->most, "with --elastic: workers while all are there, as -n")
      ->type_name("WORKERS")
      ->needs(elastic)
      ->excludes(workers);
  command->callback([&action, options] { action = [options] { return run(*options); }; });
  return command;
}

// What a measurement follows from beside the scenario: the program, and where it runs.
std::string inputs_of(const std::string& program, const LaunchOptions& launch) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string inputs = read_file(program) + host.data() + shell_text(launch_command(launch, 1, {}));
  if (launch.hostfile) inputs += read_file(*launch.hostfile);
  if (launch.lab) inputs += read_file(lab_platform(*launch.lab));
  return fnv1a_hex(std::as_bytes(std::span(inputs)));
}

// The text of a paced device's profile.
std::string profile_of(const Scenario& point) {
  if (!point.is_paced()) return "";
  return read_file(find_device(point.platform_file(), *point.device));
}

/// Whether a real run of the point computes on a device that may not be there.
bool needs_device(const Scenario& point) {
  return point.device && is_computing(*point.device) && *point.device != kComputingDevices.front();
}

/// What a check refuses; nothing where it does not. Of anything else that fails in it the point's
/// own run will tell.
std::string refusal(const std::vector<std::string>& command, const PointFiles& files) {
  try {
    run_check(command, files);
  } catch (const InputError& error) {
    return error.what();
  } catch (const RunError&) {
  }
  return "";
}

/// That of a point, whose faults may befall the lab's network meanwhile.
LaunchOptions launch_of(const Scenario& point, LaunchOptions launch, const PointFiles& files) {
  if (launch.lab && point.faults.befalls_network())
    launch.faults = {.point = files.point(), .journal = files.journal()};
  return launch;
}

std::vector<std::string> supervised(const std::string& supervisor, const LaunchOptions& launch,
                                    const PointFiles& files) {
  std::vector<std::string> words = point_arguments(supervisor, files);
  for (const auto& [option, value] : {std::pair("--lab", launch.lab),
                                      {"--hostfile", launch.hostfile},
                                      {"--launcher", launch.launcher}})
    if (value) words.insert(words.end(), {option, *value});
  return words;
}

struct Programs {
  std::string rank = sibling_program("tandem-run");
  std::string supervisor = sibling_program("tandem-elastic");
};

/// Whether a member of the job is on each host that fails: what is wrong, else empty.
std::string check_failures(const Scenario& point, const std::string& supervisor,
                           const LaunchOptions& launch, const PointFiles& files) {
  if (point.faults.fail.empty()) return "";
  write_file_atomically(files.point(), to_json(point).dump(2));
  std::vector<std::string> words = supervised(supervisor, launch, files);
  words.emplace_back("--check");
  return refusal(words, files);
}

// Too few hosts show at the widest points, where there is somebody to ask; what faults name and a
// lab or the job lacks, at each point; and on the first host, whether it has the device.
std::vector<PointCheck> check_on_hosts(const std::vector<Scenario>& points,
                                       const Programs& programs, const LaunchOptions& launch,
                                       const std::filesystem::path& folder) {
  const std::string inputs = inputs_of(programs.rank, launch);
  std::vector<PointCheck> checks;
  checks.reserve(points.size());
  for (const Scenario& point : points)
    checks.push_back({.inputs = inputs + profile_of(point), .error = why_not_moved(point)});
  const PointFiles files{folder / "check"};
  std::filesystem::create_directories(files.folder);
  const std::vector<std::size_t> widest = widest_points(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Scenario& point = points[i];
    const LaunchOptions own = launch_of(point, launch, files);
    if (!checks[i].error.empty() || (!own.faults && !std::ranges::binary_search(widest, i)))
      continue;
    if (own.faults) write_file_atomically(files.point(), to_json(point).dump(2));
    const std::vector<std::string> command = check_command(own, point.members(), point.hosts());
    if (!command.empty()) checks[i].error = refusal(command, files);
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    if (checks[i].error.empty())
      checks[i].error = check_failures(points[i], programs.supervisor, launch, files);
  const auto first = std::ranges::find_if(points, needs_device);
  if (first == points.end()) return checks;
  write_file_atomically(files.point(), to_json(*first).dump(2));
  std::vector<std::string> words = point_arguments(programs.rank, files);
  words.emplace_back("--check");
  const std::string missing = refusal(launch_command(launch, 1, words), files);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (needs_device(points[i]) && checks[i].error.empty()) checks[i].error = missing;
  return checks;
}

std::vector<std::string> unsupervised(const std::string& program, const LaunchOptions& launch,
                                      const Scenario& point, const PointFiles& files) {
  std::vector<std::string> words = point_arguments(program, files);
  if (point.faults.befalls_network()) words.insert(words.end(), {"--journal", files.journal()});
  return launch_command(launch_of(point, launch, files), point.members(), words, point.hosts());
}

/// Accelerators go on while their process sleeps, and nothing computes faster than it can.
bool can_be_slow(const Scenario& point, const SlowSpec& slow) {
  return slow.target.rank && *slow.target.rank < point.workers &&
         !is_accelerator(point.device.value_or("")) && (slow.factor >= 1 || point.is_paced());
}

/// `faults`: those of a point that can't be injected.
std::string why_not_injected(const std::string& part, const FaultsSpec& faults,
                             const LaunchOptions& launch) {
  const bool is_of_network =
      part == "links" || part == "traffic" ||
      (part == "fail" && std::ranges::any_of(faults.fail, &FailSpec::is_partition));
  if (is_of_network && !launch.lab)
    return "a real run can disturb the network of a lab alone; use tandem lab, or tandem simulate";
  if (part == "fail") return "a real run goes on after that with --elastic alone";
  if (part == "links")
    return "a lab can change bandwidths, but no latencies; leave latency_factor out";
  if (part == "slow")
    return "a real run takes the rank of a worker, on a CPU or a paced device, and a factor of at "
           "least 1";
  return "a real run can't inject that; use tandem simulate, or leave it out";
}

}  // namespace

void require_injectable(const ScenarioFile& file, const LaunchOptions& launch, bool elastic) {
  for (const Scenario& point : file.points) {
    for (const FailSpec& fail : point.faults.fail)
      if (fail.target.rank && *fail.target.rank >= point.members())
        throw InputError(fmt::format("{}: faults.fail: there is no rank {}; the job has {}",
                                     file.path, *fail.target.rank,
                                     counted(point.members(), "member")));
    FaultsSpec others = point.faults;
    others.recovery = {};
    const auto can_fail = [&](const FailSpec& fail) {
      return elastic && (launch.lab || !fail.is_partition);
    };
    std::erase_if(others.fail, can_fail);
    std::erase_if(others.slow, [&](const SlowSpec& slow) { return can_be_slow(point, slow); });
    if (launch.lab) {
      std::erase_if(others.links,
                    [](const LinkFaultSpec& link) { return link.latency_factor == 1; });
      others.traffic.clear();
    }
    if (others.empty()) continue;
    std::map<std::string, std::vector<std::string>> parts;  // by why not
    const nlohmann::json faults = to_json(others);
    for (const auto& [part, value] : faults.items())
      if (part != "recovery") parts[why_not_injected(part, others, launch)].push_back(part);
    std::vector<std::string> lines;
    lines.reserve(parts.size());
    for (const auto& [why, of_it] : parts)
      lines.push_back(fmt::format("faults.{}: {}", fmt::join(of_it, ", faults."), why));
    throw InputError(fmt::format("{}: {}", file.path, fmt::join(lines, "; ")));
  }
}

std::string why_not_moved(const Scenario& point) {
  if (point.transport == "host" || is_accelerator(point.device.value_or(""))) return "";
  return fmt::format(
      "transport {} is from GPU to GPU, but a real run of {} computes on {}; give --device cuda, "
      "or leave transport out",
      point.transport, point.name, point.device.value_or("the CPU"));
}

Backend run_backend(const LaunchOptions& launch, bool elastic) {
  require_launchable(launch);
  const Programs programs;
  return {.command =
              [=](const Scenario& point, const PointFiles& files) {
                if (elastic || !point.faults.fail.empty())
                  return supervised(programs.supervisor, launch, files);
                return unsupervised(programs.rank, launch, point, files);
              },
          .check =
              [programs, launch](const std::vector<Scenario>& points,
                                 const std::filesystem::path& folder) {
                return check_on_hosts(points, programs, launch, folder);
              },
          .shows_command = true,
          .starts_ranks = true,
          .stops_at_failure = true};
}

void derive_checkpoints(std::vector<Scenario>& points) {
  for (Scenario& point : points) {
    const std::optional<int> every = point.faults.recovery.checkpoint_every;
    if (!every || point.checkpoint) continue;
    point.checkpoint.emplace().every = *every;
  }
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
  CLI::App* command = add_run_command(lab, "As tandem run, on the hosts of a lab", options, action);
  command->add_option("--name", options->launch.lab, "of the lab (default: $TANDEM_LAB, else lab)");
  command->footer("Example:\n  tandem lab run demo --set workers=2 --out results/lab");
}

}  // namespace tandem
