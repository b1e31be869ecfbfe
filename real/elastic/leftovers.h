#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tandem::elastic {

/// The processes on this machine that have the word in their command lines.
std::vector<pid_t> processes_with(const std::string& word);

/// SIGKILL to these: what is left of a job after its mpirun has ended, such as ranks that are
/// stopped.
void kill_processes_with(const std::string& word);

}  // namespace tandem::elastic
