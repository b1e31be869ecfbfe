#pragma once

#include <stdexcept>
#include <string>

namespace tandem {

/// Bad input: a scenario, platform, data file or command line that the user can mend.
/// The message is one line and says where, what is wrong, and what would be right.
/// Programs print it after "tandem: error: " and exit with kExitBadInput.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run that began and could not be finished (a lost peer, a full disk).
/// Programs print it the same way and exit with kExitRunFailed.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitRunFailed = 1;
inline constexpr int kExitBadInput = 2;

}  // namespace tandem
