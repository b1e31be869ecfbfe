#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tandem {

/// What main() of a program with a command line returns: reads it into `app`, then run_main(body).
/// A mistake ends as one line on stderr, "tandem: error: ...", with the nearest name where one was
/// mistyped, and as kExitBadInput; --help and --version print and end with 0.
int run_main(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace tandem
