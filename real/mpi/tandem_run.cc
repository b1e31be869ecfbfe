// tandem-run: runs one scenario point for real, as one rank of an MPI job, or calibrates this
// machine. `tandem run` and `tandem calibrate` start it.

#include <CLI/CLI.hpp>

#include "core/base/arguments.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/network/calibration.h"
#include "core/record/progress.h"
#include "core/training/checkpoint/folder_lock.h"
#include "real/mpi/abort.h"
#include "real/mpi/error_file.h"
#include "real/mpi/run_point.h"
#include "real/mpi/session.h"
#ifdef TANDEM_CPU
#include "real/calibrate/calibrate.h"
#endif

namespace tandem {
namespace {

struct Arguments {
  std::string point;
  std::string result;
  std::string calibration;
  std::string messages;
  std::vector<std::filesystem::path> other_messages;
  std::optional<std::size_t> one_way_up_to;  // bytes
  std::string progress;
  std::string journal;
  bool checks = false;
  std::optional<Seconds> job_began;
  double share = 1;

  bool calibrates() const { return !calibration.empty() || !messages.empty(); }
  /// Beside whatever the run is to write, which is one of these.
  std::filesystem::path error_file() const {
    return mpi::error_file(result + calibration + messages);
  }
};

void work(const Arguments& arguments, const mpi::Session& session) {
  ProgressFile file(session.rank() == 0 ? arguments.progress : "");
  const auto progress = [&](int done, int total) { file(done, total); };
  const ScenarioFile scenario = load_scenario(arguments.point);
  if (arguments.calibrates()) {
#ifdef TANDEM_CPU
    if (!arguments.messages.empty())
      return mpi::calibrate_messages(session, arguments.messages, arguments.one_way_up_to,
                                     progress);
    const Scenario& point = scenario.points.at(0);
    const auto device = [&](bool timed) {
      return point.is_paced() ? mpi::ComputingDevice{} : mpi::computing_device(point, timed);
    };
    return mpi::calibrate(scenario, device(true), device(false), session, arguments.other_messages,
                          arguments.calibration, progress);
#else
    throw InputError(
        "calibration needs the CPU device, which this build was configured without; build with "
        "-DTANDEM_CPU=ON");
#endif
  }
  if (session.rank() == 0) {
    require_writable_folder(std::filesystem::absolute(arguments.result).parent_path());
  }
  const Scenario& point = scenario.points.at(0);
  if (arguments.checks) {
    if (!point.is_paced()) mpi::computing_device(point);
    return;
  }
  LockFile lock;
  if (point.checkpoint && point.checkpoint->path && !point.is_paced())
    lock = lock_of_member(*point.checkpoint->path, arguments.point);
  const auto on_error = [&](const std::exception_ptr& error) {
    mpi::abort_job(error, arguments.error_file());
  };
  const PointResult result = mpi::run_point(point, session,
                                            {.progress = progress,
                                             .on_error = on_error,
                                             .journal = Journal(arguments.journal),
                                             .job_began = arguments.job_began,
                                             .share = arguments.share});
  if (session.rank() == 0) result.save(arguments.result);
}

int run(const Arguments& arguments, int argc, char** argv) {
  if (arguments.result.empty() && !arguments.calibrates())
    throw InputError(
        "say with --result, --calibrate or --calibrate-messages what to do; see tandem-run --help");
  std::error_code ignored;  // of an earlier run; before MPI starts, so before any rank can fail
  std::filesystem::remove(arguments.error_file(), ignored);
  const mpi::Session session(argc, argv);
  try {
    work(arguments, session);
  } catch (...) {
    mpi::abort_job(std::current_exception(), arguments.error_file());
  }
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  CLI::App app("Runs one scenario point as a rank of an MPI job. People use `tandem run`.",
               "tandem-run");
  tandem::Arguments arguments;
  app.add_option("POINT", arguments.point, "the point: a scenario without a sweep")->required();
  CLI::Option* result = app.add_option("--result", arguments.result, "file to write the result to");
  CLI::Option* calibrate =
      app.add_option("--calibrate", arguments.calibration,
                     "instead, measure this machine and write a platform to this folder")
          ->excludes(result);
  CLI::Option* messages =
      app.add_option("--calibrate-messages", arguments.messages,
                     "instead, only measure what messages take in this job, and write that to "
                     "this file")
          ->excludes(result)
          ->excludes(calibrate);
  app.add_option("--one-way-up-to", arguments.one_way_up_to,
                 "with --calibrate-messages: only one way, and only up to so many bytes")
      ->needs(messages)
      ->check(CLI::Range(std::size_t{1}, tandem::kLargestMessage));
  app.add_option("--with", arguments.other_messages,
                 "with --calibrate: such files of other jobs, to take the medians of all")
      ->needs(calibrate)
      ->excludes(messages);
  app.add_option("--progress", arguments.progress, "file to write progress to");
  app.add_option("--journal", arguments.journal, "file to write what happens to, as it happens");
  app.add_flag("--check", arguments.checks,
               "only look whether this host has what the point computes on");
  app.add_option("--job-began", arguments.job_began,
                 "when the job did, of which this run goes on with a part: seconds since 1970");
  app.add_option("--share", arguments.share,
                 "of the work of that job's iterations what one of this run is");
  return tandem::run_main(app, argc, argv, [&] { return tandem::run(arguments, argc, argv); });
}
