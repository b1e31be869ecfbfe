#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The processes on this machine that have the word in their command lines.
std::vector<pid_t> processes_with(const std::string& word);

/// SIGKILL to these, such as ranks that are stopped and what else a job's mpirun may leave behind.
void kill_processes_with(const std::string& word);

/// The same for those that have a path within the folder in their command lines.
void kill_processes_in(const std::filesystem::path& folder);

}  // namespace tandem
