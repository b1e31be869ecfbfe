#include "core/command/leftover_ranks.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/pidfd.h"
#include "core/command/process.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

bool is_rank_in(const std::vector<std::string>& words, const std::string& begin) {
  return !words.empty() && fs::path(words.front()).filename() == "tandem-run" &&
         std::ranges::any_of(words, [&](const auto& word) { return word.starts_with(begin); });
}

}  // namespace

void kill_ranks_in(const fs::path& folder) {
  if (!folder.is_absolute() || !folder.has_relative_path())
    throw std::invalid_argument("ranks work in folders, such as /a/b, not in '" + folder.string() +
                                "'");
  const std::string begin = folder / "";
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const std::string id = entry.path().filename();
    if (id.find_first_not_of("0123456789") != std::string::npos) continue;
    const int process = pidfd_open(std::stoi(id), 0);  // first: an id may be another's by now
    if (process < 0) continue;
    if (is_rank_in(command_words(id), begin)) pidfd_send_signal(process, SIGKILL, nullptr, 0);
    close(process);
  }
}

}  // namespace tandem
