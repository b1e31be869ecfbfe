#include "real/mpi/abort.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/main.h"
#include "real/mpi/error_file.h"

namespace tandem::mpi {
namespace {

struct Reason {
  std::string line;
  int code;
};

Reason reason_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& input) {
    return {one_line(input.what()), kExitBadInput};
  } catch (const std::exception& other) {
    return {one_line(other.what()), kExitRunFailed};
  } catch (...) {
    return {"an error of unknown kind", kExitRunFailed};
  }
}

}  // namespace

void abort_job(const std::exception_ptr& error, const std::filesystem::path& error_file) {
  const Reason reason = reason_of(error);
  if (write_first(error_file, reason.line)) {
    std::fprintf(stderr, "tandem: error: %s\n", reason.line.c_str());
  }
  MPI_Abort(MPI_COMM_WORLD, reason.code);
  std::_Exit(reason.code);
}

}  // namespace tandem::mpi
