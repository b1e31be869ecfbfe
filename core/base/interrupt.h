#pragma once

#include "core/base/error.h"

namespace tandem {

/// From now on SIGINT, SIGTERM and SIGHUP no longer end this process but are noted, so that it can
/// end its children and keep what they finished. They end a sleep early, and so does a child's end.
void note_interrupts();

/// The signal that asked this process to end; 0 where none did.
int interrupted();

/// A signal asked this process to end. Programs exit with exit_code_of_signal().
class Interrupted : public RunError {
 public:
  Interrupted() : RunError("interrupted") {}
};

/// Throws Interrupted where it did: of what computes for long and has no child to end.
void end_if_interrupted();

/// The exit code that shells expect of a process that a signal ended.
constexpr int exit_code_of_signal(int signal) {
  return 128 + signal;
}

}  // namespace tandem
