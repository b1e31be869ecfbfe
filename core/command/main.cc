// tandem: the command that people type.

#include "core/base/arguments.h"
#include "core/base/interrupt.h"
#include "core/base/version.h"
#include "core/command/commands.h"
#include "core/command/help_formatter.h"

int main(int argc, char** argv) {
  CLI::App app("Predicts and measures distributed training from one scenario file.", "tandem");
  app.formatter(std::make_shared<tandem::HelpFormatter>());
  app.set_version_flag("--version", tandem::kVersion);
  app.require_subcommand(1);
  app.footer(
      "Begin with:\n  tandem list\n  tandem simulate thesis_ps_vs_ring\n  tandem run demo\n"
      "`tandem COMMAND --help` tells more of a command.");
  tandem::CommandAction action;
  for (const auto add :
       {tandem::add_check, tandem::add_list, tandem::add_simulate, tandem::add_tune,
        tandem::add_explain, tandem::add_run, tandem::add_compare, tandem::add_calibrate,
        tandem::add_lab, tandem::add_plot, tandem::add_export, tandem::add_report})
    add(app, action);
  return tandem::run_main(app, argc, argv, [&] {
    tandem::note_interrupts();
    return action();
  });
}
