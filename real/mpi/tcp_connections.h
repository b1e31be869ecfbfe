#pragma once

#include <vector>

namespace tandem::mpi {

/// The descriptors of all TCP connections that this process has, such as MPI makes between hosts.
std::vector<int> tcp_connections();

}  // namespace tandem::mpi
