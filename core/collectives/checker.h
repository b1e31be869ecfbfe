#pragma once

#include <optional>
#include <string>

#include "core/collectives/all_reduce.h"

namespace tandem {

/// What a collective promises of the buffers it leaves, on N ranks. chunk r is
/// chunk(elements, N, r).
enum class Collective {
  kAllReduce,      ///< every rank: the sum over all ranks
  kReduceScatter,  ///< rank r: the sum over all ranks in chunk r; elsewhere anything
  kAllGather,      ///< every rank: chunk r as rank r had it
  kBroadcast,      ///< every rank: what rank 0 had
  /// A buffer is 2 N blocks of one size, N to send and N received: rank r ends with block r of rank
  /// c's first half as block c of its second; its own block stays where it is, and so does all else
  kAllToAll,
};

/// Proves a collective for one rank count and buffer size by running it symbolically, without any
/// backend: every element of every rank ends as `collective` promises, a sum holding each rank's
/// contribution exactly once, in the same order of additions on all ranks; no message goes
/// unmatched, is of another size than its receiver expects, or is waited for in a circle; and no
/// piece of a round touches what another piece of that round touches. Returns nothing where it
/// holds, else one line that names the rank, round and element where it first fails.
std::optional<std::string> check_collective(Collective collective, const ScheduleFactory& factory,
                                            int ranks, std::size_t elements);

}  // namespace tandem
