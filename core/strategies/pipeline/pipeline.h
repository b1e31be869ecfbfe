#pragma once

#include <memory>
#include <vector>

#include "core/strategies/strategy.h"

namespace tandem {

/// Pipeline parallelism (Huang et al., "GPipe", NeurIPS 2019; Narayanan et al., "Memory-efficient
/// pipeline-parallel DNN training", ICML 2021), D replicas of it side by side: a worker holds the
/// weights of one stage. training/pipeline_passes.h takes an iteration's micro-batches through the
/// stages; this sums up a stage's gradients over the workers that hold it, bucket by bucket behind
/// the last micro-batch's backward, and updates. Invariants: the gradient is that of the mean loss
/// over the samples of all pipelines, as for one worker that takes them all; workers that hold the
/// same stage hold the same weights, bit for bit. Ends with the whole model on every worker.
std::unique_ptr<Strategy> make_pipeline(Replica& replica);

std::vector<CollectiveUse> pipeline_collectives(const Scenario& scenario, const LayerGraph& graph);

Holding pipeline_holding(const Scenario& scenario, const LayerGraph& graph, int rank);

}  // namespace tandem
