#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace tandem::mpi {

/// Every rank's text, by rank, on rank 0; nothing on the others. Collective.
std::vector<std::string> gather(const std::string& text, MPI_Comm comm);

}  // namespace tandem::mpi
