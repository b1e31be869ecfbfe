#include "core/command/analysis.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/paths.h"
#include "core/command/process.h"

namespace tandem {
namespace {

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

}  // namespace

int run_analysis(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {python_with_matplotlib(),
                                      home_folder() / "analysis" / program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Process process(command, std::nullopt);
  return process.wait().exit_code;
}

void FigureOption::add_to(CLI::App& command) {
  command
      .add_option("--figure", file_,
                  fmt::format("draw it too, as tandem plot {} does: a .png, .pdf or .svg", kind_))
      ->type_name("FILE");
}

int FigureOption::check(const std::filesystem::path& result) const {
  if (!file_) return 0;
  return run_analysis("plot.py", {kind_, result, "--out=" + *file_, "--check=--figure"});
}

int FigureOption::draw(const std::filesystem::path& result) const {
  if (file_) return run_analysis("plot.py", {kind_, result, "--out=" + *file_});
  fmt::print("A figure of it: tandem plot {} {} --out FILE\n", kind_, result.string());
  std::fflush(stdout);
  return 0;
}

}  // namespace tandem
