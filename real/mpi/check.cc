#include "real/mpi/check.h"

#include <string>

#include "core/base/error.h"

namespace tandem::mpi {

void fail_call(int code, const char* call) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw RunError(std::string(call) + " failed: " +
                 (length > 0 ? std::string(text, length) : "error " + std::to_string(code)));
}

}  // namespace tandem::mpi
