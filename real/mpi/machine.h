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

/// The most memory this process ever held.
std::uint64_t peak_memory_bytes();

/// Of the MPI library, one line.
std::string mpi_version();

}  // namespace tandem::mpi
