#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// Broadcast from rank 0 along a binomial tree (Thakur, Rabenseifner and Gropp 2005, section 4.3):
/// in round k each of the first 2^k ranks sends all to the rank 2^k after it, so that ceil(log2 N)
/// rounds reach all. Least latency; N-1 times the buffer is sent in all.
std::unique_ptr<const Schedule> binomial_broadcast(int ranks, int rank, std::size_t elements);

}  // namespace tandem
