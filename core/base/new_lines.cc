#include "core/base/new_lines.h"

#include <fstream>

namespace tandem {

std::vector<std::string> NewLines::read() {
  std::ifstream in(file_);
  in.seekg(static_cast<std::streamoff>(read_));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line) && !in.eof(); read_ += line.size() + 1)
    lines.push_back(line);
  return lines;
}

}  // namespace tandem
