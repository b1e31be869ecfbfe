#include "core/base/paths.h"
#include "core/command/analysis.h"
#include "core/command/commands.h"

namespace tandem {
namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::optional<std::string> out;
  std::optional<int> point;
  bool no_explanation = false;
};

int report(const ReportOptions& options) {
  std::vector<std::string> arguments;
  if (options.out) arguments = {"--out", *options.out};
  if (!options.no_explanation)
    arguments.insert(arguments.end(), {"--explain-by", executable_folder() / "tandem"});
  if (options.point) arguments.insert(arguments.end(), {"--point", std::to_string(*options.point)});
  arguments.push_back("--");
  arguments.insert(arguments.end(), options.results.begin(), options.results.end());
  return run_analysis("report.py", arguments);
}

}  // namespace

void add_report(CLI::App& app, CommandAction& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML file that needs nothing else");
  command->add_option("RESULT", options->results, "result folders")->required();
  command
      ->add_option("--out", options->out,
                   "an .html file (default: report.html in the first RESULT)")
      ->type_name("FILE");
  command
      ->add_option("--point", options->point,
                   "this point of each RESULT is explained and shown, counted from 1 (default: up "
                   "to 6 are explained, and the last is shown)")
      ->type_name("N");
  command->add_flag("--no-explanation", options->no_explanation,
                    "leave out what `tandem explain` says, which simulates some more");
  command->footer(
      "Examples:\n  tandem report results/thesis\n"
      "  tandem report results/compare results/thesis --out results/both.html\n"
      "Several results have a section each, and a table in common where they share\n"
      "a model.");
  command->callback([&action, options] { action = [options] { return report(*options); }; });
}

}  // namespace tandem
