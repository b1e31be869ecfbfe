#pragma once

#include <cstdint>
#include <string>

namespace tandem::mpi {

/// This host's name, without its domain.
std::string host_name();

/// The processor's name as Linux gives it; "unknown" where it gives none.
std::string cpu_model();

/// Cores that this process may use.
int cores();

/// Begins to look for the peak anew, and returns the memory that this process holds now.
std::uint64_t begin_peak_memory();

/// The most memory this process held since begin_peak_memory(), or ever; 0 where Linux does not
/// say.
std::uint64_t peak_memory_bytes();

/// Of the MPI library, one line.
std::string mpi_version();

}  // namespace tandem::mpi
