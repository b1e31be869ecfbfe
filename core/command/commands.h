#pragma once

#include "core/command/options.h"

namespace tandem {

// Each adds one sub-command to the program, and sets `action` where that one was typed.

void add_check(CLI::App& app, CommandAction& action);
void add_list(CLI::App& app, CommandAction& action);
void add_simulate(CLI::App& app, CommandAction& action);
void add_tune(CLI::App& app, CommandAction& action);
void add_run(CLI::App& app, CommandAction& action);
void add_compare(CLI::App& app, CommandAction& action);
void add_calibrate(CLI::App& app, CommandAction& action);
void add_lab(CLI::App& app, CommandAction& action);
void add_explain(CLI::App& app, CommandAction& action);
void add_export(CLI::App& app, CommandAction& action);
void add_plot(CLI::App& app, CommandAction& action);
void add_report(CLI::App& app, CommandAction& action);

}  // namespace tandem
