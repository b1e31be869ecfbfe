#pragma once

#include <optional>

#include "core/comm/worker.h"

namespace tandem::mpi {

/// Calibration::queue_wait of rank 0's host: what a byte takes from there to rank 1 and back on a
/// connection of its own while MPI's sends all it can, less what it takes at rest; the median of
/// some hundreds. 0 where MPI has no connection over TCP (IPv4) between the two; none where there
/// can be no other connection, as behind a firewall, or it breaks. Collective over ranks 0 and 1;
/// returns it on rank 0, none elsewhere. Takes about `budget` seconds, more over wires that carry
/// less than a MiB in that.
std::optional<Seconds> measure_queue_wait(Worker& worker, Seconds budget);

}  // namespace tandem::mpi
