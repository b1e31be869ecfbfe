#pragma once

#include <vector>

#include "core/model/memory.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Predicts what worker `rank` of the scenario holds at its peak, while it trains: for ZeRO exactly
/// what its stage has in use, for a pipeline what its stage of the model has, for every other
/// algorithm a whole replica. What strategies keep besides is not known here.
MemoryUse predict_memory(const Scenario& scenario, const LayerGraph& graph, int rank);

/// That of every worker, of which the first of each stage of a pipeline is predicted: it has the
/// largest shard.
class WorkerMemory {
 public:
  WorkerMemory(const Scenario& scenario, const LayerGraph& graph);

  const MemoryUse& of(int rank) const { return stages_[rank % stages_.size()]; }

 private:
  std::vector<MemoryUse> stages_;
};

}  // namespace tandem
