#include <fmt/format.h>

#include <set>
#include <string>

#include "core/base/error.h"
#include "core/command/commands.h"
#include "core/command/run.h"
#include "core/command/simulation.h"
#include "core/command/sweep.h"
#include "core/command/work_folder.h"
#include "core/record/text_table.h"
#include "core/training/experiment.h"

namespace tandem {
namespace {

// Where there is one to ask, and a platform is given at all: a real run needs neither. Returns the
// devices whose memory nobody knows.
std::set<std::string> check_platforms(std::vector<Scenario> points) {
  std::erase_if(points, [](const Scenario& point) { return point.platform.empty(); });
  if (!can_simulate() || points.empty()) return {};
  const WorkFolder work;
  std::set<std::string> devices;
  for (const PointCheck& check : require_room(points, simulation_backend(), work.path()))
    devices.insert(check.of_unknown_memory.begin(), check.of_unknown_memory.end());
  return devices;
}

// Simulations know nothing of a transport: whoever gives one means a real run.
void check_point(const Scenario& point) {
  check_experiment(point, DataCheck::kIfThere);
  if (const std::string reason = why_not_moved(point); !reason.empty()) throw InputError(reason);
}

int check(const ScenarioOptions& options) {
  const ScenarioFile file = options.load();
  check_each(file.points, check_point);
  const std::set<std::string> unknown = check_platforms(file.points);
  fmt::print("{}: no mistakes; {}\n", file.path, counted(file.points.size(), "point"));
  if (!unknown.empty())
    fmt::print(
        "the memory of {} {} isn't known, so whether the model fits into it wasn't checked; "
        "give memory_bytes in the device's profile\n",
        unknown.size() == 1 ? "device" : "devices", fmt::join(unknown, ", "));
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
