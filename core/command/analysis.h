#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// Runs a program of analysis/, such as "plot.py", and returns its exit code. Throws InputError
/// where there is no Python that has matplotlib.
int run_analysis(const std::string& program, const std::vector<std::string>& arguments);

/// --figure FILE, of a command whose results have a kind of figure that shows them.
class FigureOption {
 public:
  /// `kind` as in `tandem plot KIND`.
  explicit FigureOption(std::string kind) : kind_(std::move(kind)) {}

  void add_to(CLI::App& command);
  /// Before the work: the exit code of a file that can't be a figure of what `result` will hold, of
  /// which a line on stderr says why, else 0. Throws InputError where no Python has matplotlib.
  int check(const std::filesystem::path& result) const;
  /// Draws it, where one is asked for; else says on stdout how to. Returns the exit code.
  int draw(const std::filesystem::path& result) const;

 private:
  std::string kind_;
  std::optional<std::string> file_;
};

}  // namespace tandem
