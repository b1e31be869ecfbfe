// Run under mpirun by killed_rank.sh: the last rank is killed while the others wait for it.

#include <csignal>
#include <cstdio>

#include "real/mpi/session.h"
#include "real/mpi/worker.h"

int main(int argc, char** argv) {
  using namespace tandem;
  const mpi::Session session(argc, argv);
  mpi::MpiWorker worker(MPI_COMM_WORLD);
  const int last = session.size() - 1;
  const Buffer buffer = worker.allocate(1, DType::kFloat32);
  if (session.rank() == last) {  // dies once all others are about to wait
    for (int peer = 0; peer < last; ++peer) {
      Handle received = worker.receive(kAnyPeer, 0, buffer.view());
      worker.wait(received);
    }
    std::puts("the last rank is about to be killed");
    std::fflush(stdout);
    return std::raise(SIGKILL);
  }
  Handle sent = worker.send(last, 0, buffer.view());
  worker.wait(sent);
  Handle never = worker.receive(last, 1, buffer.view());
  worker.wait(never);
  return 0;
}
