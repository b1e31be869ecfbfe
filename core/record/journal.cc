#include "core/record/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string_view>

namespace tandem {
namespace {

// In the order of JobMoment.
constexpr std::array<std::string_view, 10> kWords = {"reads",   "begins",   "iterates", "writes",
                                                     "written", "tests",    "tested",   "fails",
                                                     "returns", "disturbed"};

static_assert(kWords.size() == static_cast<std::size_t>(JobMoment::kDisturbed) + 1);

std::optional<JournalEntry> entry_of(const std::string& line) {
  std::istringstream in(line);
  JournalEntry entry;
  std::string word;
  if (!(in >> entry.at >> word >> entry.number >> entry.duration)) return std::nullopt;
  const auto known = std::ranges::find(kWords, word);
  if (known == kWords.end()) return std::nullopt;
  entry.moment = static_cast<JobMoment>(known - kWords.begin());
  return entry;
}

}  // namespace

Seconds time_since_1970() {
  return std::chrono::duration<Seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// One write to the end of the file: lines of several processes don't mix.
void Journal::note(JobMoment moment, int number, Seconds duration) const {
  if (file_.empty()) return;
  const std::string line = fmt::format("{:.6f} {} {} {:.9f}\n", time_since_1970(),
                                       kWords[static_cast<int>(moment)], number, duration);
  const int file = open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t lost = write(file, line.data(), line.size());
  close(file);
}

std::vector<JournalEntry> JournalReader::read() {
  std::vector<JournalEntry> entries;
  for (const std::string& line : lines_.read())
    if (const auto entry = entry_of(line)) entries.push_back(*entry);
  return entries;
}

}  // namespace tandem
