#include "real/mpi/eager_bytes.h"

#include <mpi.h>

#include <fstream>

#include "real/mpi/check.h"
#include "real/mpi/variable.h"

namespace tandem::mpi {
namespace {

bool share_a_host() {
  MPI_Comm neighbours = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours),
        "MPI_Comm_split_type");
  int here = 0, all = 0;
  check(MPI_Comm_size(neighbours, &here), "MPI_Comm_size");
  check(MPI_Comm_size(MPI_COMM_WORLD, &all), "MPI_Comm_size");
  check(MPI_Comm_free(&neighbours), "MPI_Comm_free");
  return here == all;
}

}  // namespace

std::size_t eager_bytes() {
  return share_a_host() ? 0 : variable("btl_tcp_eager_limit").value_or(0);
}

// Two trains, of whole segments of Ethernet's usual size; each has room for headers (Linux's
// tcp_bound_to_half_wnd() of what is left of gso_max_size beside MAX_TCP_HEADER).
std::size_t queued_bytes() {
  constexpr std::size_t kSegment = 1448, kHeaders = 321;
  std::size_t limit = 0;
  std::ifstream file("/proc/sys/net/ipv4/tcp_limit_output_bytes");
  file >> limit;
  const std::size_t train = limit / 2;
  return train > kHeaders ? 2 * ((train - kHeaders) / kSegment * kSegment) : limit;
}

}  // namespace tandem::mpi
