#pragma once

#include <cstddef>
#include <optional>

namespace tandem::mpi {

/// A control variable of this MPI library, a number or a truth; nothing where it has none of that
/// name.
std::optional<std::size_t> variable(const char* name);

}  // namespace tandem::mpi
