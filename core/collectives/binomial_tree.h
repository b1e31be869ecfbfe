#pragma once

#include <memory>

#include "core/collectives/schedule.h"

namespace tandem {

/// All-reduce as a reduction to rank 0 along a binomial tree and a broadcast down the same (Thakur,
/// Rabenseifner and Gropp 2005, section 4.5, "Reduce and Allreduce"). After k rounds each rank that
/// is a multiple of 2^k has the sum of the 2^k from it on; the whole is formed once, at rank 0, so
/// all end with the same bits. 2(N-1) messages like the linear one, in 2 ceil(log2 N) rounds, and
/// no rank receives from more than ceil(log2 N): for small buffers of ranks that share processors.
/// Subtrees are neighbours, where those of binomial_broadcast() are as far apart as can be.
std::unique_ptr<const Schedule> binomial_tree(int ranks, int rank, std::size_t elements);

}  // namespace tandem
