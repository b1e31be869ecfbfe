#pragma once

#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "core/training/optimizer.h"

namespace tandem {

/// One member's copy of the model: flat arenas of graph.parameter_elements() each, views without
/// data where the run models sizes. `scenario`, `graph` and `worker` must outlive it.
struct Replica {
  Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker);

  /// Begins an optimizer step. The training loop calls it once an iteration; a server calls it once
  /// for every set of gradients that it applies.
  void begin_step() { optimizer.begin_step(scenario.optimizer.learning_rate); }

  /// Updates parameters [offset, offset + count) from their gradients times `scale`.
  void update(std::size_t offset, std::size_t count, float scale) {
    optimizer.step(worker, parameters.view().slice(offset, count),
                   gradients.view().slice(offset, count), offset, scale);
  }

  const Scenario& scenario;
  const LayerGraph& graph;
  Worker& worker;
  Buffer parameters;  ///< initialised from the scenario's seed, the same on every rank
  Buffer gradients;
  Optimizer optimizer;
};

}  // namespace tandem
