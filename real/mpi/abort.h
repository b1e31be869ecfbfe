#pragma once

#include <exception>
#include <filesystem>

namespace tandem::mpi {

/// Ends the whole job because of `error`: one line into `error_file` and on stderr, by the first
/// rank to fail alone, and MPI_Abort with kExitBadInput for InputError, else kExitRunFailed.
[[noreturn]] void abort_job(const std::exception_ptr& error,
                            const std::filesystem::path& error_file);

}  // namespace tandem::mpi
