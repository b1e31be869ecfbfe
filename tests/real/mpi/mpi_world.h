#pragma once

#include <memory>

#include "real/mpi/device_collectives.h"
#include "real/mpi/session.h"
#include "tests/conformance/world.h"

namespace tandem::mpi {

/// This test process's MPI, from main() on.
const Session& session();

/// The job that this process is a rank of, whose collectives devices do where there are `devices`.
std::unique_ptr<World> make_mpi_world(MakeDeviceCollectives devices);

}  // namespace tandem::mpi
