#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/terminal.h"
#include "core/command/analysis.h"
#include "core/command/commands.h"
#include "core/command/lab.h"
#include "core/command/mpi_errors.h"
#include "core/command/process.h"
#include "core/command/progress_line.h"
#include "core/command/run.h"
#include "core/command/work_folder.h"
#include "core/network/calibration.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct CalibrateOptions {
  ScenarioOptions scenario;
  LaunchOptions launch;
  FigureOption figure{"calibration"};
};

constexpr int kRanks = 2;  // that send messages to each other

/// Whether one calibration serves both: a device's times are those of a model and a batch size.
bool have_same_times(const Scenario& a, const Scenario& b) {
  return a.model.name == b.model.name && a.batch_size == b.batch_size;
}

// One calibration serves a whole sweep of one model and batch size: the platform gets as many hosts
// as its largest point has members.
const Scenario& largest_point(const std::vector<Scenario>& points) {
  const Scenario* largest = &points.front();
  for (const Scenario& point : points)
    if (point.members() > largest->members() && have_same_times(point, *largest)) largest = &point;
  return *largest;
}

/// A sweep's other models and batch sizes.
void warn_of_others(const ScenarioFile& file, const Scenario& calibrated) {
  const auto is_other = [&](const Scenario& point) { return !have_same_times(point, calibrated); };
  if (calibrated.is_paced() || std::ranges::none_of(file.points, is_other)) return;
  print_line(stderr, fmt::format("tandem: warning: {}: of its models and batch sizes {}, {} is "
                                 "calibrated, from whose rates others are predicted; calibrate "
                                 "each, with --set, into a folder of its own",
                                 file.path, calibrated.model.name, calibrated.batch_size));
}

// Copies what was measured out of the work folder, the platform after what it names. The platform
// of a lab is known: it is not what was measured between two of its hosts.
void keep(const fs::path& made, const std::optional<std::string>& lab, const fs::path& out) {
  std::error_code none;
  std::string device;
  for (const auto& entry : fs::directory_iterator(made / "devices", none)) {
    device = entry.path().stem();  // there is one at most
    write_file_atomically(out / "devices" / entry.path().filename(), read_file(entry.path()));
  }
  write_file_atomically(out / kCalibrationFile, read_file(made / kCalibrationFile));
  write_file_atomically(
      out / "platform.xml",
      lab ? calibrated_platform(read_file(lab_platform(*lab)), kCalibrationFile, device)
          : read_file(made / "platform.xml"));
}

void warn_of_doubts(const Calibration& calibration, const fs::path& out) {
  const fs::path file = out / kCalibrationFile;
  const std::vector<std::string> doubts = calibration.doubts();
  if (doubts.empty()) return;
  print_line(
      stderr,
      fmt::format(
          "tandem: warning: {}: {}; so far off predictions may be: calibrate again while nothing "
          "else runs on the hosts, and look at it with tandem plot calibration {} --out FILE",
          file.string(), fmt::join(doubts, "; "), out.string()));
}

[[noreturn]] void fail_calibration(const ProcessEnd& end, const PointFiles& files,
                                   const fs::path& made) {
  const JobFailure failure = job_failure(end, made.string() + ".error", files.log());
  if (failure.exit_code == kExitBadInput) throw InputError(failure.message);
  throw RunError(failure.message);
}

/// Starts jobs, one after the other, each in a folder of its own.
class Jobs {
 public:
  Jobs(const LaunchOptions& launch, const Scenario& point, const fs::path& folder, int count)
      : launch_(launch), point_(to_json(point).dump(2)), folder_(folder), line_(count) {}

  /// Has one `mode` it into the file or folder that is returned; nothing where it was interrupted.
  /// `places` as launch_command()'s. Throws where it fails.
  std::optional<fs::path> run(const std::string& mode, const std::vector<std::string>& more = {},
                              const std::vector<int>& places = {}) {
    const int job = started_++;
    const PointFiles files{folder_ / std::to_string(job)};
    const fs::path made = files.folder / "made";
    write_file_atomically(files.point(), point_);
    std::vector<std::string> words{program_, files.point(), mode,
                                   made,     "--progress",  files.progress()};
    words.insert(words.end(), more.begin(), more.end());
    const std::vector<std::string> command = launch_command(launch_, kRanks, words, places);
    print_command(command);
    line_.begin_point(job, "calibrating");
    Process process(command, files.log());
    process.set_folder_of_ranks(files.folder);
    const ProcessEnd end =
        process.wait([&] { line_.update(job, ProgressFile::read(files.progress())); });
    line_.drop_point(job);
    line_.clear();
    if (interrupted() != 0) return std::nullopt;
    if (end.exit_code != 0) fail_calibration(end, files, made);
    return made;
  }

 private:
  const LaunchOptions& launch_;
  std::string program_ = sibling_program("tandem-run");
  std::string point_;
  fs::path folder_;
  ProgressLine line_;
  int started_ = 0;
};

bool may_have_wires(const LaunchOptions& launch) {
  return launch.hostfile || launch.launcher || launch.lab;
}

/// How many jobs measure messages over wires, which take longer in one than in another.
constexpr int kJobs = 5;
/// And how many those between hosts that share a processor.
constexpr int kSharingJobs = 3;

/// The number of a lab's host that shares a processor with its first; nothing where none does, or
/// where all do, so that the calibration is of such hosts anyway.
std::optional<int> sharing_host(const LaunchOptions& launch) {
  if (!launch.lab) return std::nullopt;
  const std::optional<int> host = shares_with_first_host(read_file(lab_platform(*launch.lab)));
  return host == 1 ? std::nullopt : host;
}

/// Has the calibration in `folder` say what messages that are sent unasked take from a lab's first
/// host to `host`, which shares its processor. False where it was interrupted.
bool measure_sharing(Jobs& jobs, int host, const fs::path& folder) {
  constexpr std::size_t kLargest = 64UL << 10U;
  std::vector<std::vector<MessageSample>> one_way;
  for (int job = 0; job < kSharingJobs; ++job) {
    const std::optional<fs::path> made =
        jobs.run("--calibrate-messages", {"--one-way-up-to", std::to_string(kLargest)}, {0, host});
    if (!made) return false;
    const Calibration found = Calibration::load(*made);
    one_way.push_back(found.one_way);
    std::erase_if(one_way.back(),
                  [&](const MessageSample& sample) { return sample.bytes > found.eager_bytes; });
  }
  const fs::path file = folder / kCalibrationFile;
  Calibration calibration = Calibration::load(file);
  calibration.one_way_sharing = medians_of(one_way);
  write_file_atomically(file, calibration.text());
  return true;
}

/// The folder that holds all of it; nothing where a job was interrupted.
std::optional<fs::path> measure(const LaunchOptions& launch, const Scenario& point,
                                const fs::path& folder) {
  const int count = may_have_wires(launch) ? kJobs : 1;
  const std::optional<int> sharing = sharing_host(launch);
  Jobs jobs(launch, point, folder, sharing ? count + kSharingJobs : count);
  std::vector<std::string> with;
  for (int job = 1; job < count; ++job) {
    const std::optional<fs::path> made = jobs.run("--calibrate-messages");
    if (!made) return std::nullopt;
    if (Calibration::load(*made).exchange.empty()) break;  // both ranks are on one host
    with.insert(with.end(), {"--with", *made});
  }
  std::optional<fs::path> made = jobs.run("--calibrate", with);
  if (!made || (sharing && !measure_sharing(jobs, *sharing, *made))) return std::nullopt;
  return made;
}

/// Who names hosts to a launcher would not see that it put both ranks on one of them.
void warn_of_one_host(const Calibration& calibration, const fs::path& out) {
  if (!calibration.does_collectives_in_memory()) return;
  print_line(stderr,
             fmt::format("tandem: warning: {}: both ranks were on one host, so nothing is known of "
                         "what messages take from one to another; where it is not meant for one "
                         "alone, have the launcher put a rank on each of two, as srun -N 2 does",
                         (out / kCalibrationFile).string()));
}

int calibrate(const CalibrateOptions& options) {
  const ScenarioFile file = options.scenario.load();
  require_launchable(options.launch);
  const fs::path out = options.scenario.out_folder(file);
  if (const int code = options.figure.check(out)) return code;
  const Scenario& point = largest_point(file.points);
  warn_of_others(file, point);
  const WorkFolder work(out);
  LabUse lab(options.launch.lab);
  const std::optional<fs::path> made = measure(options.launch, point, work.path());
  if (!made) {
    fmt::print(stderr, "tandem: error: interrupted; nothing was written\n");
    return exit_code_of_signal(interrupted());
  }
  keep(*made, options.launch.lab, out);
  fmt::print("Wrote {0}; simulate on it with --platform {0}\n", (out / "platform.xml").string());
  std::fflush(stdout);
  const Calibration calibration = Calibration::load(out / kCalibrationFile);
  warn_of_doubts(calibration, out);
  if (options.launch.launcher) warn_of_one_host(calibration, out);
  lab.end();
  return options.figure.draw(out);
}

}  // namespace

void add_calibrate(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<CalibrateOptions>();
  options->launch.spreads = true;
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure this machine for a scenario's model, and write a platform of it");
  add_scenario(*command, options->scenario);
  add_device(*command, options->scenario);
  add_launch(*command, options->launch);
  add_out(*command, options->scenario);
  options->figure.add_to(*command);
  command->footer(
      "Examples:\n  tandem calibrate demo --out results/calibration\n"
      "  tandem calibrate demo --lab --device paced:k80 --out results/lab\n"
      "Writes platform.xml (give it to --platform), calibration.yaml, to which that\n"
      "refers, with what messages take, and, but for a paced device, devices/HOST.yaml\n"
      "with what layers take. Two ranks measure it; it is good for one model and batch\n"
      "size. Let nothing else run meanwhile.");
  command->callback([&action, options] { action = [options] { return calibrate(*options); }; });
}

}  // namespace tandem
