#pragma once

#include <array>
#include <csignal>
#include <string>

namespace tandem {

/// While it lives, an abort or a crash of this process, which are SimGrid's answer to much that can
/// be wrong with a platform file, end it as bad input does: with one line, "tandem: error: WHERE"
/// and the first line that SimGrid said, in plain words, and kExitBadInput. What else is written to
/// standard error meanwhile comes out when the guard goes. On one thread; one inside another
/// changes nothing.
class AbortGuard {
 public:
  explicit AbortGuard(const std::string& where);
  ~AbortGuard();
  AbortGuard(const AbortGuard&) = delete;
  AbortGuard& operator=(const AbortGuard&) = delete;

  /// What was written to standard error so far, which then doesn't come out.
  std::string take();

 private:
  static constexpr std::array kSignals = {SIGABRT, SIGSEGV};

  bool is_outermost_;
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

}  // namespace tandem
