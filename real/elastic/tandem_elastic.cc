// tandem-elastic: runs one scenario point for real, and goes on when members of its job are lost.
// `tandem run --elastic` starts it; it starts the MPI jobs.

#include <CLI/CLI.hpp>

#include "core/base/arguments.h"
#include "core/base/interrupt.h"
#include "core/record/progress.h"
#include "real/elastic/places.h"
#include "real/elastic/supervisor.h"

namespace tandem::elastic {
namespace {

struct Arguments {
  std::string point, result, progress;
  bool check = false;
  LaunchOptions launch;
};

int run(const Arguments& arguments) {
  note_interrupts();
  const PointFiles files{std::filesystem::path(arguments.result).parent_path()};
  const Scenario point = load_scenario(arguments.point).points.at(0);
  if (arguments.check) {
    Places(arguments.launch, point).failures(point);
    return 0;
  }
  Supervisor supervisor(point, arguments.launch, sibling_program("tandem-run"), files);
  supervisor.run().save(arguments.result);
  return 0;
}

}  // namespace
}  // namespace tandem::elastic

int main(int argc, char** argv) {
  CLI::App app("Runs one scenario point, whoever is lost. People use `tandem run --elastic`.",
               "tandem-elastic");
  tandem::elastic::Arguments arguments;
  app.add_option("POINT", arguments.point, "the point: a scenario without a sweep")->required();
  app.add_option("--result", arguments.result, "file to write the result to")->required();
  app.add_option("--progress", arguments.progress, "file beside it to write progress to");
  app.add_option("--hostfile", arguments.launch.hostfile, "as of tandem run");
  app.add_option("--launcher", arguments.launch.launcher, "as of tandem run");
  app.add_option("--lab", arguments.launch.lab, "as of tandem run");
  app.add_flag("--check", arguments.check, "only look whether members are on the hosts that fail");
  return tandem::run_main(app, argc, argv, [&] { return tandem::elastic::run(arguments); });
}
