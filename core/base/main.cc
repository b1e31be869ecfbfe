#include "core/base/main.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/terminal.h"

namespace tandem {
namespace {

int report(const std::string& message, int exit_code) {
  std::fflush(stdout);
  print_line(stderr, "tandem: error: " + one_line(message));
  return exit_code;
}

/// What was printed is buffered: a full disk may show only at the end, or have shown before.
int with_stdout_written(int exit_code) {
  errno = 0;
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || exit_code != 0) return exit_code;
  return report(fmt::format("standard output: can't write{}{}", errno != 0 ? ": " : " all of it",
                            errno != 0 ? std::strerror(errno) : ""),
                kExitRunFailed);
}

/// Of a path that can't even be looked at, which somebody gave; a full disk is nobody's input.
bool is_of_bad_path(const std::error_code& code) {
  const auto bad = {std::errc::filename_too_long, std::errc::not_a_directory,
                    std::errc::permission_denied, std::errc::too_many_symbolic_link_levels};
  return std::ranges::any_of(bad, [&](std::errc one) { return code == one; });
}

int report(const std::filesystem::filesystem_error& error) {
  return report(fmt::format("{}: {}", error.path1().string(), error.code().message()),
                is_of_bad_path(error.code()) ? kExitBadInput : kExitRunFailed);
}

}  // namespace

std::string one_line(const std::string& text) {
  std::string line;
  bool broken = false;
  for (const char c : text) {
    broken = broken || c == '\n' || c == '\r';
    if (broken && std::isspace(static_cast<unsigned char>(c))) continue;
    if (broken && !line.empty() && line.back() != ' ') line += ' ';
    broken = false;
    line += c;
  }
  return line;
}

int run_main(const std::function<int()>& body) {
  try {
    return with_stdout_written(body());
  } catch (const InputError& error) {
    return report(error.what(), kExitBadInput);
  } catch (const std::filesystem::filesystem_error& error) {
    return report(error);
  } catch (const Interrupted& error) {
    return report(error.what(), exit_code_of_signal(interrupted()));
  } catch (const std::exception& error) {
    return report(error.what(), kExitRunFailed);
  }
}

}  // namespace tandem
