#include "sim/abort_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/base/error.h"
#include "sim/plain_words.h"

namespace tandem {
namespace {

// A signal handler may touch little more than these.
char prefix[4096];
int captured = -1;  ///< in memory: what was written to standard error
int console = -1;   ///< where standard error went before

void write_all(int file, const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::size_t read_captured(char* text, std::size_t size) {
  lseek(captured, 0, SEEK_SET);
  const ssize_t got = read(captured, text, size);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

/// SimGrid's lines begin with "[time] [category/CRITICAL] ", "[time] file:line: [category/CRITICAL]
/// " or "[host:actor:(pid) time] [...] ".
const char* after_log_prefix(const char* line, const char* end) {
  constexpr std::string_view kLevel = "/CRITICAL] ";
  const char* level = std::search(line, end, kLevel.begin(), kLevel.end());
  if (level != end) return level + kLevel.size();
  const char* begin = line;
  for (const char* at = line; at + 1 < end && *begin == '['; ++at) {
    if (at[0] == ']' && at[1] == ' ') begin = at + 2;
  }
  return begin;
}

/// The first line that is no warning, or the last.
std::string_view reason_in(std::string_view said) {
  while (true) {
    const std::string_view line = said.substr(0, said.find('\n'));
    const std::string_view others = said.substr(std::min(said.size(), line.size() + 1));
    if (others.empty() || line.find("/WARNING] ") == line.npos)
      return {after_log_prefix(line.begin(), line.end()), line.end()};
    said = others;
  }
}

void on_abort(int) {
  static char text[1U << 20U];
  const PlainWords words = in_plain_words(reason_in({text, read_captured(text, sizeof text)}));
  write_all(console, prefix, std::strlen(prefix));
  for (const std::string_view part :
       {words.line, std::string_view(": "), words.message, words.advice, std::string_view("\n")})
    write_all(console, part.data(), part.size());
  _exit(kExitBadInput);
}

}  // namespace

// One in another has nothing to do.
AbortGuard::AbortGuard(const std::string& where) : is_outermost_(captured < 0) {
  if (!is_outermost_) return;
  const std::string text = "tandem: error: " + where;
  prefix[text.copy(prefix, sizeof prefix - 1)] = '\0';
  captured = memfd_create("tandem-stderr", MFD_CLOEXEC);
  console = dup(STDERR_FILENO);
  dup2(captured, STDERR_FILENO);
  struct sigaction action {};
  action.sa_handler = on_abort;
  action.sa_flags = SA_RESETHAND;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

std::string AbortGuard::take() {
  std::string text;
  char part[4096];
  lseek(captured, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(captured, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  if (ftruncate(captured, 0) == 0) lseek(captured, 0, SEEK_SET);
  return text;
}

AbortGuard::~AbortGuard() {
  if (!is_outermost_) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  dup2(console, STDERR_FILENO);
  const std::string text = take();
  write_all(STDERR_FILENO, text.data(), text.size());
  close(captured);
  close(console);
  captured = -1;
}

}  // namespace tandem
