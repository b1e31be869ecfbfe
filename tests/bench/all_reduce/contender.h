#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "core/comm/buffer.h"

namespace tandem::bench {

/// A way to sum float32 numbers over all ranks, in place.
struct Contender {
  std::string name;
  std::function<void(const View&)> all_reduce;
};

/// MPI_Allreduce as the library decides, with each algorithm that Open MPI's `tuned` component can
/// be told to take (the job has to run with coll_tuned_use_dynamic_rules=1), and rings made of
/// MPI_Isend and MPI_Irecv by hand. Collective.
std::vector<Contender> mpi_contenders();

/// A ring as a plain MPI program has it: for each round one message each way, waited for together,
/// and a loop that adds.
Contender hand_written_ring();

/// Gloo's algorithms over TCP, from the address that `host` names; none where this was built
/// without Gloo. Ranks meet through files in `folder`. Collective.
std::vector<Contender> gloo_contenders(const std::string& host, const std::string& folder);

}  // namespace tandem::bench
