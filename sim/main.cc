// tandem-simulate: predicts one scenario point. `tandem simulate` runs it, one process a point.

#include "core/base/main.h"

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/record/progress.h"
#include "sim/simulate.h"

namespace tandem {
namespace {

struct Arguments {
  std::string point;
  std::string result;
  std::string progress;
};

int simulate_point(const Arguments& arguments) {
  ProgressFile progress(arguments.progress);
  const Scenario scenario = load_scenario(arguments.point).points.at(0);
  simulate(scenario, [&](int done, int total) { progress(done, total); }).save(arguments.result);
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  CLI::App app("Predicts one scenario point by simulation. People use `tandem simulate`.");
  tandem::Arguments arguments;
  app.add_option("POINT", arguments.point, "the point: a scenario without a sweep")->required();
  app.add_option("--result", arguments.result, "file to write the result to")->required();
  app.add_option("--progress", arguments.progress, "file to write progress to");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : tandem::kExitBadInput;
  }
  return tandem::run_main([&] { return tandem::simulate_point(arguments); });
}
