#include <fmt/format.h>

#include <cstdlib>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/command/commands.h"
#include "core/command/process.h"

namespace tandem {
namespace {

struct PlotOptions {
  std::string kind;
  std::vector<std::string> results;
  std::string out;
  std::optional<std::string> width;
};

bool imports_matplotlib(const std::string& python) {
  try {
    Process process({python, "-c", "import matplotlib"}, "/dev/null");
    return process.wait().exit_code == 0;
  } catch (const InputError&) {  // there is no such program
    return false;
  }
}

// A version manager's python3 often lacks what the distribution's has.
std::string python_with_matplotlib() {
  std::vector<std::string> candidates = {"/usr/bin/python3", "python3"};
  if (const char* chosen = std::getenv("TANDEM_PYTHON"); chosen && *chosen)
    candidates.insert(candidates.begin(), chosen);
  for (const std::string& python : candidates)
    if (imports_matplotlib(python)) return python;
  throw InputError(
      fmt::format("none of {} can import matplotlib; install the package python3-matplotlib, or "
                  "set TANDEM_PYTHON to a Python that has it",
                  fmt::join(candidates, ", ")));
}

int plot(const PlotOptions& options) {
  const std::string script = home_folder() / "analysis" / "plot.py";
  std::vector<std::string> command = {python_with_matplotlib(), script, options.kind};
  command.insert(command.end(), options.results.begin(), options.results.end());
  command.insert(command.end(), {"--out", options.out});
  if (options.width) command.insert(command.end(), {"--width", *options.width});
  Process process(command, std::nullopt);
  return process.wait().exit_code;
}

}  // namespace

void add_plot(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw a figure of results");
  command
      ->add_option(
          "KIND", options->kind,
          "speedup, efficiency, scaling, breakdown, utilisation, memory, staleness, traffic, "
          "accuracy_traffic, calibration or compare")
      ->required();
  command->add_option("RESULT", options->results, "result folders")->required();
  command
      ->add_option("--out", options->out,
                   "a .png, .pdf or .svg file; without an ending, the first two; a .csv of what is "
                   "drawn goes beside it")
      ->required()
      ->type_name("FILE");
  command->add_option("--width", options->width, "columns of a page: single or double");
  command->footer(
      "Example:\n  tandem plot speedup results/thesis --out results/thesis_speedup.png");
  command->callback([&action, options] { action = [options] { return plot(*options); }; });
}

}  // namespace tandem
