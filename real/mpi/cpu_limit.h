#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tandem::mpi {

/// A group of processes that may use fewer processors than its machine has, as a container's are.
struct CpuLimit {
  std::uint64_t group = 0;  ///< tells a machine's groups apart
  double processors = 0;    ///< that it may use at once
  double used = 0;          ///< since it was made, in seconds of one processor
};

/// The tightest limit of a group (cgroup v2) and of those that it is part of, where there is one
/// below `processors`. `groups` is where the system shows groups; `own` is a process', as in its
/// /proc/PID/cgroup.
std::optional<CpuLimit> cpu_limit(const std::filesystem::path& groups, const std::string& own,
                                  double processors);

/// This process'.
std::optional<CpuLimit> cpu_limit();

}  // namespace tandem::mpi
