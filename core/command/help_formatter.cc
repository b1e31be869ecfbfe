#include "core/command/help_formatter.h"

#include <sstream>

#include "core/base/terminal.h"

namespace tandem {

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
