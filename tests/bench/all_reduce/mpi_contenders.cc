#include <memory>

#include "core/collectives/ring.h"
#include "real/mpi/check.h"
#include "tests/bench/all_reduce/contender.h"

namespace tandem::bench {
namespace {

using mpi::check;

/// Sets a control variable of an open tools interface; false where the library has none such.
bool set_variable(const char* name, int value) {
  int index = 0;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return false;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return false;
  const bool is_set = MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return is_set;
}

MPI_Comm duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  return comm;
}

Contender mpi_all_reduce(std::string name, MPI_Comm comm) {
  return {std::move(name), [comm](const View& view) {
            check(MPI_Allreduce(MPI_IN_PLACE, view.data, static_cast<int>(view.elements), MPI_FLOAT,
                                MPI_SUM, comm),
                  "MPI_Allreduce");
          }};
}

void exchange(MPI_Comm comm, const RingStep& step, float* out, std::size_t sent, float* in,
              std::size_t received) {
  MPI_Request requests[2];
  check(MPI_Isend(out, static_cast<int>(sent), MPI_FLOAT, step.next, 0, comm, &requests[0]),
        "MPI_Isend");
  check(MPI_Irecv(in, static_cast<int>(received), MPI_FLOAT, step.previous, 0, comm, &requests[1]),
        "MPI_Irecv");
  check(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void ring(MPI_Comm comm, int ranks, int rank, const View& view, std::vector<float>& scratch) {
  float* numbers = view.floats().data();
  scratch.resize(std::max(scratch.size(), chunk(view.elements, ranks, 0).elements));
  for (int k = 0; k < 2 * (ranks - 1); ++k) {
    const RingStep step = ring_step(ranks, rank, k);
    const Chunk out = chunk(view.elements, ranks, step.outgoing);
    const Chunk in = chunk(view.elements, ranks, step.incoming);
    float* target = numbers + in.offset;
    const bool adds = step.action == Action::kAdd;
    exchange(comm, step, numbers + out.offset, out.elements, adds ? scratch.data() : target,
             in.elements);
    for (std::size_t i = 0; adds && i < in.elements; ++i) target[i] += scratch[i];
  }
}

}  // namespace

// A communicator takes its algorithm when it is made. 0 is the library's own decision.
std::vector<Contender> mpi_contenders() {
  constexpr int kSegmentBytes = 256 << 10;
  const struct {
    int number;
    const char* name;
    int segment_bytes;
  } kAlgorithms[] = {{0, "MPI", 0},
                     {1, "MPI linear", 0},
                     {2, "MPI reduce + broadcast", 0},
                     {3, "MPI recursive doubling", 0},
                     {4, "MPI ring", 0},
                     {5, "MPI segmented ring", kSegmentBytes},
                     {6, "MPI Rabenseifner", 0}};
  int provided = 0;
  check(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), "MPI_T_init_thread");
  std::vector<Contender> contenders;
  for (const auto& algorithm : kAlgorithms) {
    const bool is_set =
        set_variable("coll_tuned_allreduce_algorithm", algorithm.number) &&
        set_variable("coll_tuned_allreduce_algorithm_segmentsize", algorithm.segment_bytes);
    if (algorithm.number > 0 && !is_set) continue;
    contenders.push_back(mpi_all_reduce(algorithm.name, duplicate()));
  }
  set_variable("coll_tuned_allreduce_algorithm", 0);
  MPI_T_finalize();
  return contenders;
}

Contender hand_written_ring() {
  MPI_Comm comm = duplicate();
  int ranks = 0, rank = 0;
  check(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return {"ring by hand", [=, scratch = std::make_shared<std::vector<float>>()](const View& view) {
            ring(comm, ranks, rank, view, *scratch);
          }};
}

}  // namespace tandem::bench
