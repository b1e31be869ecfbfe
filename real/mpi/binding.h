#pragma once

#include <hwloc.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace tandem::mpi {

/// Deals a machine's processors out to `ranks`: each gets some of its own, as near to each other as
/// caches and memories lie. Lists such as "0-3,8", by rank; none where one would get no more than
/// `threads` cores, or cores differ in speed. `topology` is loaded.
std::vector<std::string> parts_of_machine(hwloc_topology_t topology, int ranks, int threads);

/// Keeps this process to its part of its machine's processors, so that its threads' memory stays
/// near them and no two ranks compute on one core while others idle. Only where each rank of the
/// machine gets more cores than it has computing `threads`, which leaves one to the thread that
/// moves messages; where no launcher has given the ranks processors of their own already; and
/// without TANDEM_NO_BINDING in the environment. Returns the processors, or nothing where it did
/// nothing. Collective over `comm`.
std::string bind_to_part_of_machine(MPI_Comm comm, int threads);

}  // namespace tandem::mpi
