#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// All-reduce by recursive doubling (Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.5): in
/// round j ranks 2^j apart exchange all they have and add it. log2 N rounds, the fewest there can
/// be, each of the whole buffer: for small ones. For other numbers of ranks see FoldingSchedule.
/// Both sides of an exchange add the same two numbers, a + b and b + a, so all ranks end with the
/// same bits.
std::unique_ptr<const Schedule> recursive_doubling(int ranks, int rank, std::size_t elements);

}  // namespace tandem
