#pragma once

#include <vector>

#include "core/comm/kernel.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// A micro-batch's way through a stage.
struct MicroBatchPass {
  Phase phase;  ///< kForward or kBackward
  int micro_batch;

  bool operator==(const MicroBatchPass&) const = default;
};

/// In which order `stage` of a pipeline takes an iteration's micro-batches:
///   gpipe  all forward, then all backward (Huang et al., "GPipe: Efficient training of giant
///          neural networks using pipeline parallelism", NeurIPS 2019);
///   1f1b   a forward for each stage behind it, then one forward and one backward in turn, then the
///          backward passes that are left (PipeDream-Flush: Narayanan et al., "Memory-efficient
///          pipeline-parallel DNN training", ICML 2021).
/// Both take forward and backward passes of micro-batches in their order, so gradients are summed
/// up in one order. Invariant: with stages that take equally long, a pipeline stands still for
/// (S-1)/(M+S-1) of an iteration of M micro-batches in S stages.
std::vector<MicroBatchPass> pass_order(PipelineSchedule schedule, int stages, int stage,
                                       int micro_batches);

/// The most micro-batches that are between their forward and their backward: M with gpipe, S at
/// most with 1f1b.
int most_in_flight(const std::vector<MicroBatchPass>& order);

}  // namespace tandem
