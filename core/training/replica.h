#pragma once

#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/training/network.h"
#include "core/training/optimizer.h"

namespace tandem {

/// One member's copy of the model: flat arenas of graph.parameter_elements() each, views without
/// data where the run models sizes.
struct Replica {
  Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker);

  const Scenario& scenario;
  const LayerGraph& graph;
  Worker& worker;
  Buffer parameters;
  Buffer gradients;
  Optimizer optimizer;
};

}  // namespace tandem
