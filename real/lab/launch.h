#pragma once

#include <string>
#include <vector>

#include "core/command/launcher.h"
#include "real/lab/lab.h"

namespace tandem::lab {

/// How Open MPI starts an MPI job in a lab: rank i on host places[i], or on host i where `places`
/// is empty. Its launch agent is `tandem-lab enter`, so no host needs ssh. Throws InputError where
/// the lab has too few hosts.
std::vector<std::string> mpirun_command(const Lab& lab, int ranks, const std::vector<int>& places,
                                        const std::vector<std::string>& program);

/// Becomes that mpirun, in the lab's switch. Returns only by throwing: InputError where another job
/// disturbs the network, unless this is a probe, which takes it as it is.
[[noreturn]] void launch(const Lab& lab, int ranks, const std::vector<int>& places,
                         const std::vector<std::string>& program, bool is_probe);

/// Runs that mpirun, and does to the lab's network meanwhile what the faults say. Returns its exit
/// code.
int launch_disturbed(const Lab& lab, int ranks, const std::vector<int>& places,
                     const std::vector<std::string>& program, const LabFaults& faults);

/// Becomes `command`, which a shell reads, on a host that Open MPI calls by node_name(). Returns
/// only by throwing.
[[noreturn]] void run_on_host(const std::string& node, const std::string& command);

/// The name that a lab's host has for Open MPI, and for itself: "NAME-h1".
std::string node_name(const std::string& lab, int host);

}  // namespace tandem::lab
