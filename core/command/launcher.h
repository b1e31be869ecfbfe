#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// How the ranks of a job are started.
struct LaunchOptions {
  std::optional<std::string> hostfile;
  std::optional<std::string> launcher;  ///< such as "srun --mpi=pmix"; instead of mpirun
};

/// The command that starts `ranks` times `program`: `launcher -n RANKS program`, or mpirun with
/// what it needs here: the right to run as root where this is root, and the leave to share cores
/// where there are fewer than ranks.
std::vector<std::string> launch_command(const LaunchOptions& options, int ranks,
                                        const std::vector<std::string>& program);

/// Processor cores that this process may use, without their hardware threads.
int core_count();

/// Throws InputError where a hostfile is named and not there.
void require_hostfile(const LaunchOptions& options);

}  // namespace tandem
