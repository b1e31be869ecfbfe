#include "core/command/help_formatter.h"

#include <fmt/format.h>

#include <sstream>

#include "core/base/terminal.h"

namespace tandem {

// CLI11 adds the value that the flag has without one: --flag{default}.
std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  const std::string name = CLI::Formatter::make_option_name(option, is_positional);
  const std::size_t brace = name.find('{');
  if (brace == std::string::npos) return name;
  return fmt::format("{}[={}]", name.substr(0, brace), option->get_type_name());
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(CLI::Formatter::make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::ostringstream out;
  CLI::detail::format_help(out, command->get_display_name(true),
                           wrapped(command->get_description()), column_width_);
  return out.str();
}

// CLI11 indents what follows a line's end.
std::string HelpFormatter::wrapped(const std::string& description) const {
  constexpr std::size_t kColumns = 80;
  return tandem::wrapped(words_of(description), kColumns - column_width_);
}

}  // namespace tandem
