#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace tandem {

/// Words in lines of at most `columns`, as far as no word is longer; `line_end` is between lines.
std::string wrapped(const std::vector<std::string>& words, std::size_t columns,
                    const std::string& line_end = "\n");

/// What is between spaces and line ends.
std::vector<std::string> words_of(const std::string& text);

/// How many columns the terminal has that `file_descriptor` is; 0 where it is none.
std::size_t terminal_columns(int file_descriptor);

/// Writes one line, which on a terminal goes on in the next between words instead of in one.
void print_line(std::FILE* to, const std::string& line);

}  // namespace tandem
