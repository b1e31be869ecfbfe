#include "real/mpi/session.h"

#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "real/mpi/check.h"

namespace tandem::mpi {

namespace {

/// A parameter of Open MPI, where the user has not set it.
void prefer(const char* parameter, const char* value) {
  constexpr int kKeep = 0;
  setenv(parameter, value, kKeep);
}

// Over TCP a rank's clearance for the other to send takes the same connection as its own message.
// As Open MPI comes, that message is written in one piece, into a buffer of megabytes, and the
// clearance stands in the queue behind it: two large messages between two ranks went one after the
// other, in twice their time. In fragments, with a buffer of more than what is under way on a wire
// of 10 Gbit/s, and with little data ahead of the clearance, they go both ways at once.
void let_large_messages_meet() {
  prefer("OMPI_MCA_btl_tcp_flags", "send,inplace,need-ack,need-csum");  // without put
  prefer("OMPI_MCA_btl_tcp_sndbuf", "131072");
  prefer("OMPI_MCA_btl_tcp_rndv_eager_limit", "32768");
}

}  // namespace

Session::Session(int& argc, char**& argv) {
  let_large_messages_meet();
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
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

}  // namespace tandem::mpi
