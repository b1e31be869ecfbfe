#include "core/base/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/main.h"
#include "core/base/nearest.h"

namespace tandem {
namespace {

/// The command that was recognised last, and those before it: tandem, tandem simulate.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  std::vector<const CLI::App*> commands = {&app};
  while (!commands.back()->get_subcommands().empty())
    commands.push_back(commands.back()->get_subcommands().front());
  return commands;
}

std::string unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& known) {
  return fmt::format("unknown {} '{}'; {}", what, word, hint(word, known));
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional()) names.push_back(option->get_name());
  return names;
}

std::vector<std::string> command_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* child : command.get_subcommands({})) names.push_back(child->get_name());
  return names;
}

bool is_file(const std::string& word) {
  std::error_code ignored;
  const auto status = std::filesystem::status(word, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

/// How the word is given that follows an option whose value can be left out, where it may have been
/// meant to be that: it is `surplus`, or was taken for the file that `surplus` is. Else empty.
std::string hint_at_value(const CLI::App& command, const std::vector<std::string>& arguments,
                          const std::string& surplus) {
  for (std::size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
    const CLI::Option* option = command.get_option_no_throw(arguments[i]);
    const std::string& next = arguments[i + 1];
    if (option == nullptr || option->get_fnames().empty() || is_file(next)) continue;
    if (next == surplus || (!next.starts_with('-') && is_file(surplus)))
      return fmt::format("; what {0} takes follows a '=', as in {0}={1}", arguments[i], next);
  }
  return "";
}

/// The word of the command line that no command knows; empty where all are known. CLI11 says only
/// that something is missing or too much.
std::string unknown_word(const std::vector<const CLI::App*>& commands,
                         const std::vector<std::string>& arguments) {
  for (const CLI::App* command : commands) {
    for (const std::string& word : command->remaining())
      if (word.starts_with('-') && word != "--")
        return unknown("option", word.substr(0, word.find('=')), option_names(*command));
  }
  const CLI::App& last = *commands.back();
  if (last.remaining().empty()) return "";
  const std::string word = last.remaining().front();
  const std::vector<std::string> known = command_names(last);
  return known.empty() ? fmt::format("'{}' is one argument too many{}", word,
                                     hint_at_value(last, arguments, word))
                       : unknown("command", word, known);
}

/// Of a value that its option can't take: CLI11 names both, and not what would do. Only numbers are
/// converted here; all else is text. Empty where it says something else, or of another's option.
std::string wrong_number(const CLI::App& command, const std::string& text) {
  const std::string begin = "Could not convert: ", middle = " = ";
  const std::size_t end = text.find(middle);
  if (!text.starts_with(begin) || end == std::string::npos) return "";
  const std::string name = text.substr(begin.size(), end - begin.size());
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return "";
  const std::string kind = option->get_type_name().starts_with("FLOAT") ? "" : "whole ";
  return fmt::format("{} {}: this is no {}number, or one that it can't have", name,
                     text.substr(end + middle.size()), kind);
}

std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  const std::vector<const CLI::App*> commands = commands_of(app);
  const int code = error.get_exit_code();
  if (code == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
      code == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    if (std::string text = unknown_word(commands, arguments); !text.empty()) return text;
  }
  std::string text = wrong_number(*commands.back(), error.what());
  if (text.empty()) text = error.what();
  std::string names;
  for (const CLI::App* command : commands) names += command->get_name() + " ";
  return fmt::format("{}; see {}--help", text, names);
}

/// Of whom help is asked: CLI11 gives the caller's where it knows no such command.
void require_known_command(const CLI::App& app) {
  const CLI::App& last = *commands_of(app).back();
  const std::vector<std::string> known = command_names(last), words = last.remaining();
  if (known.empty() || words.empty() || words.front().starts_with('-')) return;
  throw InputError(unknown("command", words.front(), known));
}

}  // namespace

int run_main(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return run_main([&]() -> int {
      const std::vector<std::string> arguments{argv + 1, argv + argc};
      if (error.get_exit_code() != 0) throw InputError(explain(app, error, arguments));
      require_known_command(app);
      return app.exit(error);
    });
  }
  return run_main(body);
}

}  // namespace tandem
