#pragma once

#include <cstddef>
#include <optional>

namespace tandem::mpi {

/// A control variable of this MPI library, a number or a truth; nothing where it has none of that
/// name. Open MPI takes 0.2 s to tell: it opens all of its components first, also those that the
/// job does not use.
std::optional<std::size_t> variable(const char* name);

/// Whether this MPI library gives the core away in a test that finds nothing. Call after MPI_Init.
bool yields_when_idle();

}  // namespace tandem::mpi
