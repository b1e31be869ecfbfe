#include "real/mpi/node_size.h"

#include "core/platform/node_size.h"
#include "real/mpi/check.h"
#include "real/mpi/gather.h"
#include "real/mpi/machine.h"

namespace tandem::mpi {

std::optional<int> node_size(MPI_Comm comm) {
  const std::vector<std::string> hosts = gather(host_name(), comm);
  int size = 0;  // none
  if (!hosts.empty()) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      if (rank == 0 || hosts[rank] != hosts[rank - 1]) ranks.push_back(0);
      ++ranks.back();
    }
    size = common_size(ranks).value_or(0);
  }
  check(MPI_Bcast(&size, 1, MPI_INT, 0, comm), "MPI_Bcast");
  return size > 0 ? std::optional(size) : std::nullopt;
}

}  // namespace tandem::mpi
