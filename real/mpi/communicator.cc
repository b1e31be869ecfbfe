#include "real/mpi/communicator.h"

#include <algorithm>

#include "real/mpi/check.h"
#include "real/mpi/cpu_limit.h"
#include "real/mpi/neighbours.h"

namespace tandem::mpi {

Communicator::Communicator(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

int Communicator::rank() const {
  int rank = 0;
  check(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::size() const {
  int size = 0;
  check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
  return size;
}

bool Communicator::has_neighbours() const {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  int size = 0;
  check(MPI_Comm_size(host, &size), "MPI_Comm_size");
  check(MPI_Comm_free(&host), "MPI_Comm_free");
  return size > 1;
}

bool Communicator::has_cores_for_all() const {
  const Neighbours ranks = neighbours(comm_);
  cpu_set_t together;
  CPU_ZERO(&together);
  for (const cpu_set_t& allowed : ranks.allowed) CPU_OR(&together, &together, &allowed);
  double cores = std::max(1, CPU_COUNT(&together));
  // Of a container, which may see more cores than it gets.
  if (const auto limit = cpu_limit()) cores = std::min(cores, limit->processors);
  return static_cast<double>(ranks.allowed.size()) <= cores;
}

int Communicator::largest_tag() const {
  void* value = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  constexpr int kLeastOfAnyMpi = 32767;
  return found != 0 ? *static_cast<int*>(value) : kLeastOfAnyMpi;
}

std::optional<WaitingMessage> Communicator::waiting_message() const {
  int found = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &found, &status), "MPI_Iprobe");
  if (found == 0) return std::nullopt;
  MPI_Count bytes = 0;
  check(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  return WaitingMessage{status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(bytes)};
}

void Communicator::free() {
  check(MPI_Comm_free(&comm_), "MPI_Comm_free");
}

}  // namespace tandem::mpi
