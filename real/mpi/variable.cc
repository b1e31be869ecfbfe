#include "real/mpi/variable.h"

#include <dlfcn.h>
#include <mpi.h>

namespace tandem::mpi {
namespace {

/// Of an open tools interface. Smaller types leave the rest of the number zero.
std::optional<std::size_t> read(const char* name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return std::nullopt;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  std::size_t value = 0;
  const bool is_read = count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return is_read ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> variable(const char* name) {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return std::nullopt;
  const std::optional<std::size_t> value = read(name);
  MPI_T_finalize();
  return value;
}

// Every job asks, and the tools interface would take it 0.2 s. Open MPI 4 and 5 keep it in this
// bool.
bool yields_when_idle() {
  if (const void* kept = dlsym(RTLD_DEFAULT, "ompi_mpi_yield_when_idle"))
    return *static_cast<const bool*>(kept);
  return variable("mpi_yield_when_idle").value_or(0) != 0;
}

}  // namespace tandem::mpi
