#include "core/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <sstream>

namespace tandem {

std::string wrapped(const std::vector<std::string>& words, std::size_t columns,
                    const std::string& line_end) {
  std::string text;
  std::size_t width = 0;
  for (const std::string& word : words) {
    if (width > 0 && width + 1 + word.size() > columns) {
      text += line_end;
      width = 0;
    }
    if (width > 0) text += ' ', ++width;
    text += word;
    width += word.size();
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::size_t terminal_columns(int file_descriptor) {
  if (isatty(file_descriptor) == 0) return 0;
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool is_known = ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : kUsual;
}

void print_line(std::FILE* to, const std::string& line) {
  const std::size_t columns = terminal_columns(fileno(to));
  const bool fits = columns == 0 || line.size() <= columns;
  // Unlike fmt::print() it does not throw where that can't be written: what tells of errors calls
  // it.
  std::fputs(((fits ? line : wrapped(words_of(line), columns)) + "\n").c_str(), to);
}

}  // namespace tandem
