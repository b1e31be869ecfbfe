// tandem-lab: virtual hosts on this machine. `tandem lab` runs it, and Open MPI to enter a host.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/base/arguments.h"
#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/units.h"
#include "core/command/help_formatter.h"
#include "core/command/lab.h"
#include "core/record/text_table.h"
#include "real/lab/disturbances.h"
#include "real/lab/labs.h"
#include "real/lab/launch.h"

namespace tandem::lab {
namespace {

struct Arguments {
  LabOptions lab;
  std::optional<std::string> shown;  ///< of the labs; else all are
  bool all = false, check = false, is_probe = false;
  int ranks = 0;
  std::vector<int> places;
  LabFaults faults;
};

void print(const Lab& lab) {
  fmt::print("lab {}: {}", lab.name, counted(lab.hosts(), "host"));
  if (lab.tree.racks > 0)
    fmt::print(" in {}, uplinks {}", counted(lab.tree.racks, "rack"),
               bandwidth_text(lab.tree.uplink));
  fmt::print("\n");
  for (int host = 0; host < lab.hosts(); ++host)
    fmt::print("  {:<4} {}\n", host_name(host), bandwidth_text(lab.rates[host]));
  fmt::print("  platform: {}\n", lab_platform(lab.name).string());
}

int up(const LabOptions& options) {
  const Lab lab = read_lab(options);
  note_interrupts();
  bring_up(lab);
  print(lab);
  return 0;
}

int down(const Arguments& arguments) {
  const std::vector<std::string> names =
      arguments.all ? lab_names() : std::vector{arguments.lab.name};
  for (const std::string& name : names) {
    take_down(name);
    fmt::print("lab {} is down\n", name);
  }
  return 0;
}

/// Of all labs, or of the one of a name.
int status(const std::optional<std::string>& only) {
  if (only) require_known(*only);
  const std::vector<std::string> names = only ? std::vector{*only} : lab_names();
  for (const std::string& name : names) {
    if (const auto lab = find_lab(name)) {
      print(*lab);
    } else {
      fmt::print("lab {0}: left over; remove it with: tandem lab down --name {0}\n", name);
    }
  }
  if (names.empty()) fmt::print("no lab is up\n");
  return 0;
}

using Action = std::function<int()>;

CLI::Option* add_name(CLI::App& command, std::string& name) {
  return command.add_option("--name", name, "of the lab (default: $TANDEM_LAB, else lab)");
}

void add_up(CLI::App& app, Arguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand("up", "Make a lab");
  command->add_option("--hosts", arguments.lab.hosts, "how many hosts: h1, h2, ...");
  command
      ->add_option("--rate", arguments.lab.rates,
                   "of each host's wire, both ways, such as '1 Gbit/s', or of one host's, such as "
                   "h3='200 Mbit/s'")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--tree", arguments.lab.tree, "racks x hosts of each, such as 2x3");
  command->add_option("--uplink", arguments.lab.uplink, "rate of each rack's uplink, both ways");
  add_name(*command, arguments.lab.name);
  command->footer(
      "Examples:\n  tandem lab up --hosts 4 --rate '1 Gbit/s' --rate h3='200 Mbit/s'\n"
      "  tandem lab up --tree 2x3 --rate '1 Gbit/s' --uplink '1 Gbit/s'");
  command->callback([&] { action = [&] { return up(arguments.lab); }; });
}

void add_down(CLI::App& app, Arguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand("down", "Take a lab down, and end what runs in it");
  CLI::Option* name = add_name(*command, arguments.lab.name);
  command->add_flag("--all", arguments.all, "every lab of this machine, also left-overs")
      ->excludes(name);
  command->footer("Example:\n  tandem lab down --name mine");
  command->callback([&] { action = [&] { return down(arguments); }; });
}

void add_status(CLI::App& app, Arguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand("status", "List the labs of this machine");
  command->add_option("--name", arguments.shown, "this one alone (default: all)");
  command->footer("Examples:\n  tandem lab status\n  tandem lab status --name mine");
  command->callback([&] { action = [&] { return status(arguments.shown); }; });
}

void add_launch(CLI::App& app, Arguments& arguments, Action& action) {
  CLI::App* command = app.add_subcommand("launch", "Start an MPI job in a lab");
  add_name(*command, arguments.lab.name);
  command->add_option("-n", arguments.ranks, "ranks")->required();
  command->add_option("--places", arguments.places, "host of each rank, from 0: 0,1,0")
      ->delimiter(',');
  command->add_flag("--check", arguments.check,
                    "only look whether the lab has the hosts, and what faults name");
  CLI::Option* probe = command->add_flag("--probe", arguments.is_probe,
                                         "beside whatever job runs there, its network as it is");
  CLI::Option* faults = command->add_option("--faults", arguments.faults.point,
                                            "scenario whose faults befall the network meanwhile");
  faults->excludes(probe);
  command->add_option("--journal", arguments.faults.journal, "of the job")->needs(faults);
  command->add_option("--job-began", arguments.faults.job_began, "before: seconds since 1970")
      ->needs(faults);
  command->prefix_command();
  command->callback([&, command] {
    action = [&, command]() -> int {
      require_root();
      const Lab lab = require_lab(arguments.lab.name);
      const std::vector<std::string> program = command->remaining();
      const bool is_disturbed = !arguments.faults.point.empty();
      if (arguments.check) {
        mpirun_command(lab, arguments.ranks, arguments.places, {});
        if (is_disturbed)
          require_possible(lab, load_scenario(arguments.faults.point).points.at(0).faults);
        return 0;
      }
      if (is_disturbed)
        return launch_disturbed(lab, arguments.ranks, arguments.places, program, arguments.faults);
      launch(lab, arguments.ranks, arguments.places, program, arguments.is_probe);
    };
  });
}

void add_enter(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("enter", "HOST COMMAND...: Open MPI's launch agent");
  command->prefix_command();
  command->callback([&, command] {
    action = [command]() -> int {
      const std::vector<std::string> words = command->remaining();
      if (words.size() < 2) throw InputError("enter takes a host and a command");
      run_on_host(words[0], fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " ")));
    };
  });
}

}  // namespace
}  // namespace tandem::lab

int main(int argc, char** argv) {
  using namespace tandem::lab;
  CLI::App app("Virtual hosts on this machine, joined by wires of chosen rates.", "tandem lab");
  app.formatter(std::make_shared<tandem::HelpFormatter>());
  app.require_subcommand(1);
  Arguments arguments;
  arguments.lab.name = tandem::default_lab();
  Action action;
  add_up(app, arguments, action);
  add_down(app, arguments, action);
  add_status(app, arguments, action);
  add_launch(app, arguments, action);
  add_enter(app, action);
  return tandem::run_main(app, argc, argv, [&] { return action(); });
}
