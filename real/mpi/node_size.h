#pragma once

#include <mpi.h>

#include <optional>

namespace tandem::mpi {

/// How many consecutive ranks share a host, as their host names tell; the last host may have fewer.
/// Nothing where hosts differ in that. The same on every rank. Collective.
std::optional<int> node_size(MPI_Comm comm);

}  // namespace tandem::mpi
