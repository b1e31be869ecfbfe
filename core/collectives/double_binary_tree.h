#pragma once

#include "core/collectives/all_reduce.h"

namespace tandem {

/// All-reduce over two binary trees (Sanders, Speck and Träff, "Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan", Parallel Computing 2009; NCCL's tree). Each tree
/// carries half of the buffer up to its root, adding, and down again, in a pipeline of segments of
/// at most `segment_elements`. A rank is inner in one tree and, but for one rank, a leaf of the
/// other, so all send and receive at full bandwidth; the edges are coloured so that in a round each
/// rank sends one message at most and receives one. About 4 (log2 N + segments of a tree) rounds.
/// Each sum is formed once, at a root, so all ranks end with the same bits. All ranks together send
/// 2(N-1) times the buffer, one rank at most twice. Requires a segment of an element at least.
ScheduleFactory double_binary_tree(std::size_t segment_elements);

}  // namespace tandem
