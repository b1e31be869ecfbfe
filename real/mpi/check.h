#pragma once

namespace tandem::mpi {

/// Every MPI call goes through here. Throws RunError with the call's name and MPI's own words where
/// `code` is not MPI_SUCCESS.
void check(int code, const char* call);

}  // namespace tandem::mpi
