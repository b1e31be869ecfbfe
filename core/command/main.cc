// tandem: the command that people type.

#include "core/base/main.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/version.h"
#include "core/command/commands.h"
#include "core/command/interrupt.h"

namespace {

// CLI11 says only that a command is required where an unknown one is given.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (word.empty() || word.starts_with('-') || std::ranges::find(names, word) != names.end())
    return;
  throw tandem::InputError(
      fmt::format("there is no command '{}'; did you mean '{}'? See tandem --help", word,
                  tandem::nearest(word, names)));
}

int parse_error(const CLI::App& app, const CLI::ParseError& error, const std::string& word) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  return tandem::run_main([&]() -> int {
    check_command(app, word);
    throw tandem::InputError(std::string(error.what()) + "; see " + app.get_name() + " --help");
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Predicts and measures distributed training from one scenario file.", "tandem");
  app.set_version_flag("--version", tandem::kVersion);
  app.require_subcommand(1);
  app.footer(
      "Begin with:\n  tandem list\n  tandem simulate thesis_gcp_k80\n  tandem run demo\n"
      "`tandem COMMAND --help` tells more of a command.");
  tandem::Action action;
  for (const auto add : {tandem::add_check, tandem::add_list, tandem::add_simulate, tandem::add_run,
                         tandem::add_compare, tandem::add_calibrate, tandem::add_plot})
    add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_error(app, error, argc > 1 ? argv[1] : "");
  }
  tandem::note_interrupts();
  return tandem::run_main(action);
}
