#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/terminal.h"
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
};

constexpr int kRanks = 2;  // that send messages to each other

// One calibration serves a whole sweep of one model and batch size: the platform gets as many hosts
// as its largest point has members.
const Scenario& largest_point(const std::vector<Scenario>& points) {
  const Scenario* largest = &points.front();
  for (const Scenario& point : points)
    if (point.members() > largest->members() && point.model.name == largest->model.name &&
        point.batch_size == largest->batch_size)
      largest = &point;
  return *largest;
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

void warn_of_doubts(const fs::path& out) {
  const fs::path file = out / kCalibrationFile;
  const std::vector<std::string> doubts = Calibration::load(file).doubts();
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

int calibrate(const CalibrateOptions& options) {
  const ScenarioFile file = options.scenario.load();
  require_launchable(options.launch);
  const std::string program = sibling_program("tandem-run");
  const fs::path out = options.scenario.out_folder(file);
  const WorkFolder work(out);
  const PointFiles files{work.path()};
  const fs::path made = work.path() / "made";
  write_file_atomically(files.point(), to_json(largest_point(file.points)).dump(2));
  const std::vector<std::string> command =
      launch_command(options.launch, kRanks,
                     {program, files.point(), "--calibrate", made, "--progress", files.progress()});
  print_command(command);
  ProgressLine line(1);
  line.begin_point(0, "calibrating");
  Process process(command, files.log());
  const ProcessEnd end =
      process.wait([&] { line.update(0, ProgressFile::read(files.progress())); });
  line.clear();
  if (interrupted() != 0) {
    fmt::print(stderr, "tandem: error: interrupted; nothing was written\n");
    return exit_code_of_signal(interrupted());
  }
  if (end.exit_code != 0) fail_calibration(end, files, made);
  keep(made, options.launch.lab, out);
  fmt::print("Wrote {}; simulate on it with --platform {}\n", (out / "platform.xml").string(),
             (out / "platform.xml").string());
  std::fflush(stdout);
  warn_of_doubts(out);
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure this machine for a scenario's model, and write a platform of it");
  add_scenario(*command, options->scenario);
  add_device(*command, options->scenario);
  add_launch(*command, options->launch);
  add_out(*command, options->scenario);
  command->footer(
      "Examples:\n  tandem calibrate demo --out results/calibration\n"
      "  tandem calibrate demo --lab --device paced:k80 --out results/lab\n"
      "Writes platform.xml, calibration.yaml with what messages take, which it names,\n"
      "and, but for a paced device, a device profile in devices/.");
  command->callback([&action, options] { action = [options] { return calibrate(*options); }; });
}

}  // namespace tandem
