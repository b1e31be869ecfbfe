#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tandem::mpi {

/// This host's name, without its domain.
std::string host_name();

/// The processor's name as Linux gives it; "unknown" where it gives none.
std::string cpu_model();

/// Tells machines apart; several hosts of a lab are one.
std::string machine();

/// Begins to look for the peak anew, and returns the memory that this process holds now.
std::uint64_t begin_peak_memory();

/// The most memory this process held since begin_peak_memory(), or ever; 0 where Linux does not
/// say.
std::uint64_t peak_memory_bytes();

/// Of `bytes` addresses from `data` on, what this process has in memory now; of a file that others
/// map too, what it has touched itself.
std::uint64_t mapped_bytes(const std::byte* data, std::size_t bytes);

/// Of the MPI library, one line.
std::string mpi_version();

}  // namespace tandem::mpi
