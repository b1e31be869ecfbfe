#include <fmt/format.h>

#include "core/command/commands.h"
#include "core/record/text_table.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

int check(const ScenarioOptions& options) {
  const ScenarioFile file = options.load();
  for (const Scenario& point : file.points) {
    check_experiment(point, false);
  }
  fmt::print("{}: no mistakes; {}\n", file.path, counted(file.points.size(), "point"));
  return 0;
}

}  // namespace

void add_check(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<ScenarioOptions>();
  CLI::App* command = app.add_subcommand("check", "Look a scenario over without running it");
  add_scenario(*command, *options);
  add_platform(*command, *options);
  command->footer("Example:\n  tandem check scenarios/demo.yaml --set workers=4");
  command->callback([&action, options] { action = [options] { return check(*options); }; });
}

}  // namespace tandem
