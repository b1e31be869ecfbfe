#include "core/command/options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/command/lab.h"
#include "core/command/process.h"
#include "core/scenario/known_ranks.h"
#include "core/scenario/value.h"

namespace tandem {
namespace {

// As a quoted YAML string: a path may hold anything.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

// Results name it.
void require_utf8_command() {
  if (!is_utf8(own_command()))
    throw InputError("the command line is not UTF-8 text; give names and paths that are");
}

}  // namespace

ScenarioFile ScenarioOptions::load() const {
  require_utf8_command();
  std::vector<Override> overrides;
  for (const std::string& set : sets) overrides.push_back(Override::set(set));
  if (platform) overrides.push_back({"platform=" + quoted(*platform), "--platform " + *platform});
  if (device) overrides.push_back({"device=" + quoted(*device), "--device " + *device});
  if (chakra) overrides.push_back({"chakra=true", "--chakra"});
  overrides.insert(overrides.end(), more.begin(), more.end());
  ScenarioFile file = load_scenario(find_resource("scenarios", scenario, "yaml"), overrides);
  require_known_ranks(file, overrides);
  return file;
}

std::filesystem::path ScenarioOptions::out_folder(const ScenarioFile& file) const {
  if (out && out->empty()) throw InputError("--out is empty; give a folder, such as results/demo");
  return out ? std::filesystem::path(*out) : std::filesystem::path("results") / file.points[0].name;
}

CLI::Validator counts_from_one() {
  return {[](const std::string& text) {
            int number = 0;
            const bool is_good = CLI::detail::lexical_cast(text, number) && number >= 1;
            return is_good ? "" : fmt::format("'{}' is no whole number of at least 1", text);
          },
          ""};
}

CLI::Validator share() {
  return {[](const std::string& text) {
            double number = 0;
            const bool is_good =
                CLI::detail::lexical_cast(text, number) && number >= 0 && number <= 1;
            return is_good ? "" : fmt::format("'{}' is no number from 0 to 1, such as 0.8", text);
          },
          ""};
}

void add_scenario(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option("SCENARIO", options.scenario,
                  "a scenario file, or the name of one that comes with tandem")
      ->required();
  command
      .add_option("--set", options.sets,
                  "change a key for this time, such as workers=4 or algorithm.bucket='10 MB'")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

void add_device(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option("--device", options.device,
                  "the device of hosts for which the platform names none; paced:NAME: a real run "
                  "waits for its times instead of computing; cuda: a real run computes on GPUs")
      ->type_name("NAME");
}

void add_platform(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option(
          "--platform", options.platform,
          "the simulated machines: a SimGrid XML file or a name from `tandem list platforms`")
      ->type_name("NAME");
  add_device(command, options);
}

void add_out(CLI::App& command, ScenarioOptions& options) {
  command.add_option("--out", options.out, "result folder (default: results/NAME)")
      ->type_name("FOLDER");
}

void add_chakra(CLI::App& command, ScenarioOptions& options) {
  command.add_flag("--chakra", options.chakra,
                   "write an MLCommons Chakra execution trace of each member too, in the result's "
                   "folder chakra");
}

void add_jobs(CLI::App& command, std::optional<int>& jobs) {
  command
      .add_option("-j,--jobs", jobs,
                  "points that are simulated at a time (default: one a processor, fewer where "
                  "memory is short)")
      ->check(counts_from_one())
      ->type_name("N");
}

void add_launch(CLI::App& command, LaunchOptions& options) {
  command.add_option("--hostfile", options.hostfile, "machines to run on, for mpirun")
      ->type_name("FILE");
  command
      .add_option("--launcher", options.launcher,
                  "start ranks with this instead of mpirun; -n RANKS PROGRAM is added")
      ->type_name("COMMAND");
  command
      .add_flag("--lab{" + default_lab() + "}", options.lab,
                "run on the hosts of `tandem lab up`; of the lab NAME, else $TANDEM_LAB, else lab")
      ->type_name("NAME");
}

void require_platform(const ScenarioFile& file) {
  for (const Scenario& point : file.points) {
    if (point.platform.empty())
      throw InputError(
          fmt::format("{}: platform is missing; set it there, or give --platform NAME "
                      "(`tandem list platforms` shows them)",
                      file.path));
  }
}

std::string own_command() {
  return command_of("self");
}

}  // namespace tandem
