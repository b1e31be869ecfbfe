#include "core/command/analysis.h"
#include "core/command/commands.h"

namespace tandem {
namespace {

struct PlotOptions {
  std::string kind;
  std::vector<std::string> results;
  std::string out;
  std::optional<std::string> width;
  std::optional<int> point;
};

int plot(const PlotOptions& options) {
  std::vector<std::string> arguments = {options.kind};
  arguments.insert(arguments.end(), options.results.begin(), options.results.end());
  arguments.insert(arguments.end(), {"--out", options.out});
  if (options.width) arguments.insert(arguments.end(), {"--width", *options.width});
  if (options.point) arguments.insert(arguments.end(), {"--point", std::to_string(*options.point)});
  return run_analysis("plot.py", arguments);
}

}  // namespace

void add_plot(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command = app.add_subcommand("plot", "Draw a figure of results");
  command
      ->add_option("KIND", options->kind,
                   "speedup, efficiency, scaling, breakdown, utilisation, timeline, topology, "
                   "communication, memory, staleness, traffic, volume, accuracy, accuracy_traffic, "
                   "calibration or compare")
      ->required();
  command->add_option("RESULT", options->results, "result folders")->required();
  command
      ->add_option("--out", options->out,
                   "a .png, .pdf or .svg file; without an ending, the first two; a .csv of what is "
                   "drawn goes beside it")
      ->required()
      ->type_name("FILE");
  command->add_option("--width", options->width, "columns of a page: single or double");
  command
      ->add_option(
          "--point", options->point,
          "this point of a sweep, counted from 1, of timeline, topology, communication and "
          "traffic (default: the last), and of breakdown and utilisation (default: all)")
      ->type_name("N");
  command->footer(
      "Examples:\n  tandem plot speedup results/thesis --out results/thesis_speedup.png\n"
      "  tandem plot timeline results/thesis --point 2 --out results/timeline.png");
  command->callback([&action, options] { action = [options] { return plot(*options); }; });
}

}  // namespace tandem
