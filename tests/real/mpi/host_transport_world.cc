#include "tests/conformance/world.h"
#include "tests/real/mpi/mpi_world.h"

namespace tandem {

std::unique_ptr<World> make_world() {
  return mpi::make_mpi_world({});
}

}  // namespace tandem
