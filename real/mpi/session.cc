#include "real/mpi/session.h"

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/processors.h"
#include "real/mpi/check.h"

#if defined(__SANITIZE_ADDRESS__)
// Open MPI gives much never back, and unloads the plugins whose names a list of suppressions needs.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}
#endif

namespace tandem::mpi {

namespace {

// Over TCP, Open MPI writes all of a large message at once ("put"), and whatever comes after it on
// that connection waits: also the clearance that a message the other way needs, so that the two
// go one after the other, and the word that the message before has arrived. In fragments ("send")
// they go together, and no slower. And it announces a message with its first 64 kB, which take the
// wire from those that are waited for, if its receiver is not there yet: a small part does as well.
// What the environment or mpirun's command line says holds.
void share_connections() {
  setenv("OMPI_MCA_btl_tcp_flags", "send,inplace,need-ack,need-csum,hetero-rdma", 0);
  setenv("OMPI_MCA_btl_tcp_rndv_eager_limit", "1024", 0);
}

int processors_at_start = 1;

}  // namespace

Session::Session(int& argc, char**& argv) {
  share_connections();
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  processors_at_start = processor_count();  // a launcher may have bound it
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  if (provided < MPI_THREAD_MULTIPLE) {
    throw RunError("this MPI library doesn't let two threads make calls at a time");
  }
}

Session::~Session() {
  try {
    check(MPI_Finalize(), "MPI_Finalize");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tandem: error: %s\n", error.what());
  }
}

int Session::processors() {
  return processors_at_start;
}

}  // namespace tandem::mpi
