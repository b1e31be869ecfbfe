#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/seconds.h"

namespace tandem {

/// What befalls the network of a lab while a job runs in it.
struct LabFaults {
  std::string point;    ///< file of a scenario, whose faults are meant
  std::string journal;  ///< of the job: says when it began, and is told when these are in force
                        ///< and who is cut off
  std::optional<Seconds> job_began = {};  ///< where it did before, in seconds since 1970
};

/// How the ranks of a job are started.
struct LaunchOptions {
  std::optional<std::string> hostfile;
  std::optional<std::string> launcher;   ///< such as "srun --mpi=pmix"; instead of mpirun
  std::optional<std::string> lab;        ///< name of the lab to run in; of tandem-lab
  std::optional<LabFaults> faults = {};  ///< in the lab
  /// Hosts of a hostfile have a rank each before any has a second one: what is asked is what goes
  /// on between hosts. Else each host's slots are filled before the next one's.
  bool spreads = false;
  bool is_probe = false;  ///< asks whether hosts are there, beside whatever runs in the lab
};

/// The command that starts `ranks` times `program`: `launcher -n RANKS program`, or mpirun with
/// what it needs here: the right to run as root where this is root, and the leave to share cores
/// where there are fewer than ranks. In a lab, rank i is on host places[i], or on host i where
/// `places` is empty.
std::vector<std::string> launch_command(const LaunchOptions& options, int ranks,
                                        const std::vector<std::string>& program,
                                        const std::vector<int>& places = {});

/// The same, but it only looks whether there are hosts for the ranks, and says so as a job that is
/// started would. Empty where there is no asking.
std::vector<std::string> check_command(const LaunchOptions& options, int ranks,
                                       const std::vector<int>& places = {});

/// Processor cores that this process may use, without their hardware threads.
int core_count();

/// Throws InputError where a hostfile is named and not there or names no host, a lab that is not
/// up, or where there is no program to start ranks by.
void require_launchable(const LaunchOptions& options);

}  // namespace tandem
