// tandem-simulate: predicts one scenario point. `tandem simulate` runs it, one process a point.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <system_error>

#include "core/base/arguments.h"
#include "core/base/exec_words.h"
#include "core/record/point_check.h"
#include "core/record/progress.h"
#include "sim/faults/runs.h"
#include "sim/simulate.h"

namespace tandem {
namespace {

struct Arguments {
  std::string point;
  std::string result;
  std::string progress;
  bool check = false;
  RefusedShortCuts refused;
};

/// Begins again in place of this process, with one short-cut less: SimGrid can't be started twice.
[[noreturn]] void start_again(const Arguments& arguments, const ShortCutFailed& failed) {
  std::vector<std::string> words = {"tandem-simulate", arguments.point, "--result",
                                    arguments.result};
  if (!arguments.progress.empty()) words.insert(words.end(), {"--progress", arguments.progress});
  RefusedShortCuts refused = arguments.refused;
  refused.refuse(failed.which(), failed.what());
  if (refused.folding) words.insert(words.end(), {"--unfolded", *refused.folding});
  if (refused.fusing) words.insert(words.end(), {"--unfused", *refused.fusing});
  if (refused.extrapolation)
    words.insert(words.end(), {"--every-iteration", *refused.extrapolation});
  execv("/proc/self/exe", exec_words(words).data());
  throw std::system_error(errno, std::generic_category(), "execv");
}

int simulate_point(const Arguments& arguments) {
  const std::vector<Scenario> points = load_scenario(arguments.point).points;
  if (arguments.check) {
    save_checks(arguments.result, check_points(points));
    return 0;
  }
  const Scenario& scenario = points.at(0);
  ProgressFile progress(arguments.progress);
  if (!scenario.faults.empty()) {
    const std::filesystem::path result = arguments.result;
    simulate_with_faults(scenario, result.string() + ".run", [&](int done, int total) {
      progress(done, total);
    }).save(result);
    return 0;
  }
  try {
    simulate(
        scenario, [&](int done, int total) { progress(done, total); }, arguments.refused)
        .save(arguments.result);
  } catch (const ShortCutFailed& failed) {
    start_again(arguments, failed);
  }
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  CLI::App app("Predicts one scenario point by simulation. People use `tandem simulate`.",
               "tandem-simulate");
  tandem::Arguments arguments;
  app.add_option("POINT", arguments.point, "the point: a scenario without a sweep")->required();
  app.add_option("--result", arguments.result, "file to write the result to")->required();
  app.add_option("--progress", arguments.progress, "file to write progress to");
  app.add_flag("--check", arguments.check,
               "only look whether each point of POINT, a sweep on one platform, can be run");
  app.add_option("--unfolded", arguments.refused.folding, "don't fold workers, for this reason");
  app.add_option("--unfused", arguments.refused.fusing,
                 "simulate every message of collectives, for this reason");
  app.add_option("--every-iteration", arguments.refused.extrapolation,
                 "simulate every iteration, for this reason");
  return tandem::run_main(app, argc, argv, [&] { return tandem::simulate_point(arguments); });
}
