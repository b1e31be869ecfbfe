#include "real/mpi/eager_bytes.h"

#include <mpi.h>

#include <algorithm>

#include "real/mpi/check.h"
#include "real/mpi/variable.h"

namespace tandem::mpi {
namespace {

/// What the library's limit has room for beside a message: the largest of its headers.
constexpr std::size_t kHeader = 64;

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
  if (share_a_host()) return 0;
  const std::size_t limit = variable("btl_tcp_eager_limit").value_or(0);
  return limit - std::min(limit, kHeader);
}

}  // namespace tandem::mpi
