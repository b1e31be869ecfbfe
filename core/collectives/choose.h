#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/seconds.h"
#include "core/collectives/all_reduce.h"

namespace tandem {

/// Hockney's model of a message ("The communication challenge for MPP", Parallel Computing 1994):
/// alpha + beta bytes.
struct LinkFigures {
  Seconds latency = 0;          ///< alpha
  double bandwidth = kForever;  ///< bytes/s: 1 / beta

  Seconds time(double bytes) const { return latency + bytes / bandwidth; }
  /// The larger latency and the smaller bandwidth of the two.
  LinkFigures slower(const LinkFigures& other) const;
};

/// What ranks see of a network when all send at once: each figure is that of the slowest rank.
struct NetworkFigures {
  std::vector<LinkFigures> shifts;     ///< [j]: each to the rank 2^j after it, for 2^j < ranks
  LinkFigures inside;                  ///< each to the next in its node; needs a node size
  LinkFigures across;                  ///< each to its like in the next node; needs a node size
  double adding_bandwidth = kForever;  ///< bytes/s that a rank adds to a buffer: 1 / gamma
};

/// Who sends to whom, all at once: by rank, the one it sends to; itself where it sends nothing.
using Pattern = std::vector<int>;

/// The patterns that NetworkFigures are about: the shifts, then, where there is a node size, inside
/// and across. In the last node's place of a rank that it has not, its last rank stands.
std::vector<Pattern> figure_patterns(int ranks, const AllReduceOptions& options);

/// Puts the figures of those patterns, in their order, where they belong.
NetworkFigures network_figures(std::vector<LinkFigures> by_pattern, const AllReduceOptions& options,
                               double adding_bandwidth);

/// What an all-reduce of `bytes` takes by these figures: the sum over its rounds of alpha + beta
/// bytes sent + gamma bytes added, as in Thakur, Rabenseifner and Gropp, IJHPCA 2005, section 4.5.
/// `name` is one of all_reduce_names(), `options` has what it needs.
Seconds all_reduce_cost(const std::string& name, int ranks, std::size_t bytes,
                        const AllReduceOptions& options, const NetworkFigures& figures);

/// The all-reduce to use, and why.
struct CollectiveChoice {
  std::string name;
  std::string reason;  ///< "2.41 ms predicted, against ring 3.2 ms, ..."
};

/// The cheapest by all_reduce_cost(), the first in the alphabet among equals. hierarchical takes
/// part where the node size makes two levels.
CollectiveChoice choose_all_reduce(int ranks, std::size_t bytes, const AllReduceOptions& options,
                                   const NetworkFigures& figures);

}  // namespace tandem
