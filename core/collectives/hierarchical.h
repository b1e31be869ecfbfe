#pragma once

#include "core/collectives/all_reduce.h"

namespace tandem {

/// Two-level all-reduce, inside a node and across nodes (Mikami et al., "Massively distributed SGD:
/// ImageNet/ResNet-50 training in a flash", 2018; Horovod's hierarchical all-reduce): a ring
/// reduce-scatter over the ranks of each node, a ring all-reduce of each piece across the nodes,
/// between those who hold it, and a ring all-gather inside each node. With M nodes of G ranks each
/// rank sends 2(G-1)/G of the buffer inside its node and 2(M-1)/(M G) out of it.
///
/// Ranks [0, G) are a node, [G, 2G) the next. The last may be smaller: its ranks then hold several
/// pieces each. Sums are formed inside the nodes, then across, in ring order, so all ranks end with
/// the same bits. Requires node_size >= 1.
ScheduleFactory hierarchical(int node_size);

}  // namespace tandem
