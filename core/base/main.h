#pragma once

#include <functional>
#include <string>

namespace tandem {

/// What main() of every program returns: runs `body` and returns its exit code. An exception ends
/// as one line on stderr, "tandem: error: ...", and as kExitBadInput for InputError, the
/// signal's code for Interrupted, else kExitRunFailed; so does standard output that can't be
/// written.
int run_main(const std::function<int()>& body);

/// `text` with line breaks and what surrounds them made single spaces.
std::string one_line(const std::string& text);

}  // namespace tandem
