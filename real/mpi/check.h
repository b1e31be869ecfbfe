#pragma once

#include <mpi.h>

namespace tandem::mpi {

/// Throws RunError with the call's name and MPI's own words for the code.
[[noreturn]] void fail_call(int code, const char* call);

/// Every MPI call goes through here: fail_call() where `code` is not MPI_SUCCESS.
inline void check(int code, const char* call) {
  if (code != MPI_SUCCESS) fail_call(code, call);
}

}  // namespace tandem::mpi
