#include "core/command/help_formatter.h"

#include <sstream>

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
  std::istringstream words(description);
  std::string text, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && column_width_ + line.size() + 1 + word.size() > kColumns) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return text + line;
}

}  // namespace tandem
