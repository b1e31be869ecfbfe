#pragma once

#include "core/base/seconds.h"
#include "real/mpi/session.h"

namespace tandem::mpi {

/// This test process's MPI, from main() on.
const Session& session();

}  // namespace tandem::mpi
