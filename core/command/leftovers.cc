#include "core/command/leftovers.h"

#include <csignal>
#include <fstream>

namespace tandem {
namespace {

namespace fs = std::filesystem;

template <typename Predicate>
std::vector<pid_t> processes_with_one(const Predicate& is_wanted) {
  std::vector<pid_t> processes;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const std::string id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream command_line(entry.path() / "cmdline");
    for (std::string word; std::getline(command_line, word, '\0');) {
      if (!is_wanted(word)) continue;
      processes.push_back(std::stoi(id));
      break;
    }
  }
  return processes;
}

void kill_all(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) ::kill(process, SIGKILL);
}

}  // namespace

std::vector<pid_t> processes_with(const std::string& word) {
  return processes_with_one([&](const std::string& other) { return other == word; });
}

void kill_processes_with(const std::string& word) {
  kill_all(processes_with(word));
}

void kill_processes_in(const fs::path& folder) {
  const std::string begin = folder / "";
  kill_all(processes_with_one([&](const std::string& word) { return word.starts_with(begin); }));
}

}  // namespace tandem
