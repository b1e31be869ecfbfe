#include "real/mpi/eager_bytes.h"

#include <mpi.h>

#include <fstream>

#include "real/mpi/check.h"

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

/// Of an open tools interface; 0 where it has no such variable.
std::size_t read_variable(const char* name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return 0;
  std::size_t value = 0;
  if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) value = 0;
  MPI_T_cvar_handle_free(&handle);
  return value;
}

}  // namespace

std::size_t eager_bytes() {
  if (share_a_host()) return 0;
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 0;
  const std::size_t bytes = read_variable("btl_tcp_eager_limit");
  MPI_T_finalize();
  return bytes;
}

std::size_t queued_bytes() {
  std::size_t bytes = 0;
  std::ifstream file("/proc/sys/net/ipv4/tcp_limit_output_bytes");
  file >> bytes;
  return bytes;
}

}  // namespace tandem::mpi
