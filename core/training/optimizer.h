#pragma once

#include <vector>

#include "core/comm/worker.h"
#include "core/scenario/scenario.h"
#include "core/training/update_rules.h"

namespace tandem {

/// Keeps the state of an update rule (update_rules.h) for some of the model's parameters, all of
/// them or a shard, in flat arenas of its own. An optimizer step is begin_step() and then step()
/// for every slice of those parameters, in any cut: each element's new value is the same.
///
/// It computes in float32 whatever weights and gradients are made of. Where weights have 16 bits,
/// it keeps float32 master weights, and what it writes to the weights is those rounded
/// (Micikevicius et al., "Mixed precision training", ICLR 2018).
class Optimizer {
 public:
  /// Allocates state through `worker` for `elements` parameters of dtype `weights`.
  Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements,
            DType weights = DType::kFloat32);

  /// The float32 master weights of 16-bit ones, to be set before the first step; else empty.
  const View& master() const { return master_.view(); }

  /// Begins the next optimizer step, at this learning rate.
  void begin_step(double learning_rate);
  /// Takes begin_step() back: this step won't be done. Requires that step() was not called since.
  void skip_step() { --step_.number; }
  /// Steps begun and not skipped.
  int steps() const { return step_.number; }

  /// Updates `weights` from `gradients` (slices of equal size) as one kernel of the worker;
  /// their state begins at element `state_offset` of this optimizer's. `scale` times a gradient is
  /// what the rule takes: 1/N turns a sum over N workers into their mean. Requires a begin_step().
  void step(Worker& worker, View weights, View gradients, std::size_t state_offset, float scale);

 private:
  void update(View weights, View gradients, std::size_t state_offset, float scale);

  OptimizerSpec spec_;
  UpdateRule rule_;
  UpdateStep step_{0, 0};
  std::vector<Buffer> state_;  ///< rule_.states of them
  Buffer master_;
};

}  // namespace tandem
