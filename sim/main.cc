// tandem-simulate: predicts one scenario point. `tandem simulate` runs it, one process a point.

#include <CLI/CLI.hpp>

#include "core/base/arguments.h"
#include "core/record/point_check.h"
#include "core/record/progress.h"
#include "sim/simulate.h"

namespace tandem {
namespace {

struct Arguments {
  std::string point;
  std::string result;
  std::string progress;
  bool check = false;
};

int simulate_point(const Arguments& arguments) {
  const std::vector<Scenario> points = load_scenario(arguments.point).points;
  if (arguments.check) {
    save_checks(arguments.result, check_points(points));
    return 0;
  }
  const Scenario& scenario = points.at(0);
  ProgressFile progress(arguments.progress);
  simulate(scenario, [&](int done, int total) { progress(done, total); }).save(arguments.result);
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
  return tandem::run_main(app, argc, argv, [&] { return tandem::simulate_point(arguments); });
}
