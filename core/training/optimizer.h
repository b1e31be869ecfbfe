#pragma once

#include <vector>

#include "core/collectives/schedule.h"
#include "core/comm/worker.h"
#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"
#include "core/training/checkpoint/state.h"
#include "core/training/update_rules.h"

namespace tandem {

/// Keeps the state of an update rule (update_rules.h) for some of the model's parameters, all of
/// them or a shard, in flat arenas of its own. An optimizer step is begin_step() and then step()
/// for every slice of those parameters, in any cut: each element's new value is the same.
///
/// It computes in float32 whatever weights and gradients are made of. Where weights have 16 bits,
/// it keeps float32 master weights, and what it writes to the weights is those rounded
/// (Micikevicius et al., "Mixed precision training", ICLR 2018).
///
/// Of a layer-wise rule a step is begin_step(), measure() for every slice, what other members
/// measured of the same tensors added to lengths(), and only then step() for every slice.
class Optimizer {
 public:
  /// Allocates state through `worker` for `elements` parameters of dtype `weights`, which are one
  /// tensor.
  Optimizer(const OptimizerSpec& spec, Worker& worker, std::size_t elements,
            DType weights = DType::kFloat32);
  /// The same for these chunks of the graph's parameters, one after the other.
  Optimizer(const OptimizerSpec& spec, Worker& worker, const LayerGraph& graph,
            std::span<const Chunk> chunks, DType weights);

  /// The float32 master weights of 16-bit ones, to be set before the first step; else empty.
  const View& master() const { return master_.view(); }

  /// Begins the next optimizer step, at this learning rate.
  void begin_step(double learning_rate);
  /// Takes begin_step() back: this step won't be done. Requires that step() was not called since.
  void skip_step() { --step_.number; }
  /// Steps begun and not skipped.
  int steps() const { return step_.number; }

  /// Visits its state, for the parameters at `place`, under names that begin with `name`.
  void visit_state(StateVisitor& visitor, const std::string& name, const ArenaPlace& place);

  /// Whether the rule is layer-wise.
  bool is_layer_wise() const { return rule_.direction != nullptr; }
  /// Of a slice as step() takes it: renews the state, and adds to lengths().
  void measure(Worker& worker, View weights, View gradients, std::size_t state_offset, float scale);
  /// The squared lengths of every tensor's weights and direction in this step, as exact sums
  /// (base/square_sum.h) of kInt64: members that hold parts of the tensors add theirs up.
  const View& lengths() const { return lengths_.view(); }

  /// Updates `weights` from `gradients` (slices of equal size) as one kernel of the worker;
  /// their state begins at element `state_offset` of this optimizer's. `scale` times a gradient is
  /// what the rule takes: 1/N turns a sum over N workers into their mean. Requires a begin_step().
  void step(Worker& worker, View weights, View gradients, std::size_t state_offset, float scale);

 private:
  enum class Work { kMeasure, kUpdate };

  Optimizer(const OptimizerSpec& spec, Worker& worker, std::vector<TensorPart> parts,
            std::size_t length_words, DType weights);

  static std::vector<TensorPart> parts_of(const LayerGraph& graph, std::span<const Chunk> chunks);
  void run(Worker& worker, Work work, View weights, View gradients, std::size_t state_offset,
           float scale);
  bool is_done_by_device(Work work, View weights, View gradients, std::size_t state_offset,
                         float scale);
  void visit(Work work, View weights, View gradients, std::size_t state_offset, float scale);
  void add_lengths(const UpdateSlice& slice, std::int64_t tensor);
  float trust_ratio_of(std::int64_t tensor) const;

  OptimizerSpec spec_;
  UpdateRule rule_;
  UpdateStep step_{0, 0};
  std::vector<Buffer> state_;  ///< rule_.states of them
  Buffer master_;
  std::vector<TensorPart> parts_;  ///< by `end`
  Buffer device_parts_;            ///< the same for devices, of a layer-wise rule
  Buffer lengths_;                 ///< of a layer-wise rule: two sums a tensor
};

/// Elements of Optimizer::lengths() of an optimizer over this graph.
std::size_t length_words(const OptimizerSpec& spec, const LayerGraph& graph);

}  // namespace tandem
