#pragma once

#include <string>
#include <vector>

namespace tandem {

/// The words as exec and posix_spawn take them. They point into `command`.
inline std::vector<char*> exec_words(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace tandem
