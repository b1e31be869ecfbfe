#include "core/command/analysis.h"
#include "core/command/commands.h"

namespace tandem {
namespace {

struct PlotOptions {
  std::string kind;
  std::vector<std::string> results;
  std::string out;
  std::optional<std::string> width;
};

int plot(const PlotOptions& options) {
  std::vector<std::string> arguments = {options.kind};
  arguments.insert(arguments.end(), options.results.begin(), options.results.end());
  arguments.insert(arguments.end(), {"--out", options.out});
  if (options.width) arguments.insert(arguments.end(), {"--width", *options.width});
  return run_analysis("plot.py", arguments);
}

}  // namespace

void add_plot(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw a figure of results");
  command
      ->add_option("KIND", options->kind,
                   "speedup, efficiency, scaling, breakdown, utilisation, timeline, topology, "
                   "communication, "
                   "memory, staleness, traffic, accuracy_traffic, calibration or compare")
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
