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

void on_abort(int) {
  static char text[4096];
  const char* end = text + read_captured(text, sizeof text);
  const char* begin = after_log_prefix(text, std::find(text, const_cast<char*>(end), '\n'));
  const std::string_view message =
      in_plain_words({begin, static_cast<std::size_t>(std::find(begin, end, '\n') - begin)});
  write_all(console, prefix, std::strlen(prefix));
  write_all(console, message.data(), message.size());
  write_all(console, "\n", 1);
  _exit(kExitBadInput);
}

}  // namespace

// One in another has nothing to do.
AbortGuard::AbortGuard(const std::string& where) : is_outermost_(captured < 0) {
  if (!is_outermost_) return;
  const std::string text = "tandem: error: " + where + ": ";
  prefix[text.copy(prefix, sizeof prefix - 1)] = '\0';
  captured = memfd_create("tandem-stderr", MFD_CLOEXEC);
  console = dup(STDERR_FILENO);
  dup2(captured, STDERR_FILENO);
  struct sigaction action {};
  action.sa_handler = on_abort;
  sigaction(SIGABRT, &action, &before_);
}

AbortGuard::~AbortGuard() {
  if (!is_outermost_) return;
  sigaction(SIGABRT, &before_, nullptr);
  dup2(console, STDERR_FILENO);
  char text[4096];
  lseek(captured, 0, SEEK_SET);
  for (ssize_t got = 0; (got = read(captured, text, sizeof text)) > 0;) {
    write_all(STDERR_FILENO, text, static_cast<std::size_t>(got));
  }
  close(captured);
  close(console);
  captured = -1;
}

}  // namespace tandem
