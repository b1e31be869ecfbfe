#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// All-to-all by pairwise exchange (Thakur, Rabenseifner and Gropp 2005, section 4.2, long
/// messages): in round k each rank sends to the rank k+1 after it and receives from the one k+1
/// before it, N-1 rounds of one block each way.
///
/// The buffer is 2 N blocks of elements / 2N each: block p of the first half goes to rank p, where
/// it becomes block r of the second half, r being the rank it came from. A rank's own block is not
/// copied. Elements beyond 2 N whole blocks are left alone.
std::unique_ptr<const Schedule> pairwise_all_to_all(int ranks, int rank, std::size_t elements);

}  // namespace tandem
