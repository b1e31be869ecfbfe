#include "real/cuda/collectives/ipc.h"
#include "tests/conformance/world.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem {

std::unique_ptr<World> make_world() {
  return mpi::make_mpi_world([](MPI_Comm comm, const mpi::Node& node) {
    return std::make_unique<cuda::IpcCollectives>(comm, node, 0);
  });
}

}  // namespace tandem
