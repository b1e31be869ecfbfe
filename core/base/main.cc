#include "core/base/main.h"

#include <fmt/core.h>

#include <cctype>
#include <cstdio>

#include "core/base/error.h"

namespace tandem {
namespace {

int report(const std::string& message, int exit_code) {
  std::fflush(stdout);
  fmt::print(stderr, "tandem: error: {}\n", one_line(message));
  return exit_code;
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
    return body();
  } catch (const InputError& error) {
    return report(error.what(), kExitBadInput);
  } catch (const std::exception& error) {
    return report(error.what(), kExitRunFailed);
  }
}

}  // namespace tandem
