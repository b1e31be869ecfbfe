#include "core/command/leftovers.h"

#include <csignal>
#include <filesystem>
#include <fstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;

bool has_word(const fs::path& command_line, const std::string& wanted) {
  std::ifstream in(command_line);
  for (std::string word; std::getline(in, word, '\0');)
    if (word == wanted) return true;
  return false;
}

}  // namespace

std::vector<pid_t> processes_with(const std::string& word) {
  std::vector<pid_t> processes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const std::string id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    if (has_word(entry.path() / "cmdline", word)) processes.push_back(std::stoi(id));
  }
  return processes;
}

void kill_processes_with(const std::string& word) {
  for (const pid_t process : processes_with(word)) ::kill(process, SIGKILL);
}

}  // namespace tandem
