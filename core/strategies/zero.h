#pragma once

#include <memory>

#include "core/strategies/strategy.h"

namespace tandem {

/// Data-parallel training that shards what replicas hold alike (Rajbhandari et al., "ZeRO: Memory
/// optimizations toward training trillion parameter models", SC20). The model is cut into layer
/// groups, each group into one chunk a rank, and rank r owns the r-th:
///   stage 1 (P_os)     holds optimizer state of its own chunks only: a group's gradients are
///                      reduced and scattered, each owner updates its chunk, weights are gathered;
///   stage 2 (P_os+g)   gives a group's gradients but its own chunk back once they are reduced;
///   stage 3 (P_os+g+p) keeps parameters of its own chunks only: a group is gathered before its
///                      forward and again before its backward, and given back after, as in FSDP
///                      (Zhao et al., VLDB 2023);
///   stage 0            shards nothing: it is AllReduceSgd over a ring.
/// Invariant: every stage ends with the same weights, bit for bit, for a ring's sums have one
/// order.
std::unique_ptr<Strategy> make_zero(Replica& replica);

}  // namespace tandem
