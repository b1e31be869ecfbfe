#pragma once

#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "core/training/gradient_norm.h"
#include "core/training/gradient_scale.h"
#include "core/training/learning_rate.h"
#include "core/training/optimizer.h"

namespace tandem {

/// What a member keeps of the model for as long as it lives. Where it does not keep all of an
/// arena, that is only reserved (Worker::reserve), and its strategy claims what it needs. Where it
/// does not keep all parameters, and all of their float32 master weights if they have some, its
/// strategy initialises them too.
struct Holding {
  bool all_parameters = true;
  bool all_gradients = true;
  std::vector<Chunk> updated;  ///< parameters that it updates, and has optimizer state for

  std::size_t updated_elements() const;
};

/// One member's copy of the model: flat arenas of graph.parameter_elements() each, in the
/// scenario's precision, views without data where the run models sizes. `scenario`, `graph` and
/// `worker` must outlive it.
struct Replica {
  Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker);

  /// Begins an optimizer step. The training loop calls it once an iteration; a server calls it once
  /// for every set of gradients that it applies.
  void begin_step() { optimizer.begin_step(learning_rate(scenario, optimizer.steps())); }

  /// Whether a step needs all summed gradients before it may update any weight: to clip them, to
  /// skip it where some overflowed, or for a layer-wise optimizer.
  bool needs_all_gradients() const {
    return gradient_scale.needs_norm() || optimizer.is_layer_wise();
  }
  /// Goes before the updates of a step; where needs_all_gradients() it measures the whole gradient
  /// arena, which must hold its final sums, of which `average` makes the mean. False where the step
  /// was skipped, so that nothing may be updated. Members with the same gradients agree.
  bool admit_step(float average);
  /// The same of what gradient_norm has measured already. Requires gradient_scale.needs_norm().
  bool admit_measured_step(float average);

  /// Updates parameters [offset, offset + count) from their summed gradients, of which `average`
  /// makes the mean.
  void update(std::size_t offset, std::size_t count, float average) {
    optimizer.step(worker, parameters.view().slice(offset, count),
                   gradients.view().slice(offset, count), offset, gradient_scale.factor(average));
  }

  /// Updates all parameters from this member's own gradients.
  void step_alone() {
    if (admit_step(1)) update(0, graph.parameter_elements(), 1);
  }

  /// Visits weights, optimizer state and loss scale of a replica that holds all of them, as do or
  /// do not the other workers'.
  void visit_state(StateVisitor& visitor, Holder holder);

  /// The float32 weights.
  View weights() const {
    if (gathered_weights.view().elements > 0) return gathered_weights.view();
    return optimizer.master().elements > 0 ? optimizer.master() : parameters.view();
  }

  const Scenario& scenario;
  const LayerGraph& graph;
  Worker& worker;
  Buffer parameters;  ///< initialised from the scenario's seed, the same on every rank; but see
                      ///< Holding
  Buffer gradients;
  Optimizer optimizer;
  GradientScale gradient_scale;
  GradientNorm gradient_norm;
  /// The float32 weights whole, where the optimizer has master weights of a shard only: gathered by
  /// the strategy once training has ended.
  Buffer gathered_weights;

 private:
  Replica(const Scenario& scenario, const LayerGraph& graph, Worker& worker,
          const Holding& holding);
};

}  // namespace tandem
