#include "real/mpi/neighbours.h"

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/processors.h"
#include "real/mpi/check.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {

Neighbours neighbours(MPI_Comm comm) {
  struct Rank {
    std::uint64_t machine;
    cpu_set_t allowed;
  };
  int rank = 0, size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const Rank own{std::hash<std::string>()(machine()), allowed_processors()};
  std::vector<Rank> ranks(size);
  check(MPI_Allgather(&own, sizeof own, MPI_BYTE, ranks.data(), sizeof own, MPI_BYTE, comm),
        "MPI_Allgather");
  Neighbours neighbours;
  for (int i = 0; i < size; ++i) {
    if (ranks[i].machine != own.machine) continue;
    if (i == rank) neighbours.own = static_cast<int>(neighbours.allowed.size());
    neighbours.allowed.push_back(ranks[i].allowed);
  }
  return neighbours;
}

}  // namespace tandem::mpi
