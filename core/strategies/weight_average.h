#pragma once

#include "core/strategies/strategy.h"

namespace tandem {

/// Replaces `weights` by their mean over all workers, on every worker with the same bits: an
/// all-reduce by the scenario's collective and a division. Every worker calls it at the same point
/// of its collectives.
void average_over_workers(Replica& replica, View weights);

/// What average_over_workers() of the whole model starts, for Strategy's table.
std::vector<CollectiveUse> weight_average_collectives(const Scenario& scenario,
                                                      const LayerGraph& graph);

/// Replaces `mine` by the mean of `mine` and `theirs`. Both sides of a pair get the same bits,
/// since the sum of two is the same in either order.
void average_with(Worker& worker, View mine, View theirs);

/// Copies `from` to `to`, of equal size, as a kernel that costs its memory traffic.
void copy_weights(Worker& worker, View to, View from);

/// Adds `from` to `to`, likewise.
void add_weights(Worker& worker, View to, View from);

/// Multiplies `weights` by `factor`, likewise.
void scale_weights(Worker& worker, View weights, float factor);

}  // namespace tandem
