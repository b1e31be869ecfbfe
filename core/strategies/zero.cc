#include "core/strategies/zero.h"

#include <cstdlib>

#include "core/collectives/ring.h"
#include "core/strategies/all_reduce_sgd.h"
#include "core/strategies/zero_step.h"
#include "core/strategies/zero_weights.h"

namespace tandem {
namespace {

/// Groups are counted in the order of backward; forward walks them from the last to the first.
class Zero final : public Strategy {
 public:
  explicit Zero(Replica& replica)
      : replica_(replica),
        worker_(replica.worker),
        spec_(replica.scenario.algorithm),
        groups_(layer_groups(replica.scenario, replica.graph, worker_.group().rank)),
        group_of_layer_(groups_by_layer(replica.graph, groups_)),
        is_gathered_(groups_.size(), spec_.stage < 3),
        has_gradients_(groups_.size(), spec_.stage < 2),
        gathers_(groups_.size()),
        reductions_(groups_.size()) {
    for (const LayerGroup& group : groups_) {
      if (spec_.stage >= 2) worker_.claim(own_chunk(replica_.gradients, group));
    }
    if (spec_.stage == 3 || has_master()) draw_sharded_weights(replica_, groups_, spec_.stage == 3);
  }

  void before_forward(int layer) override {
    if (spec_.stage == 3) gather_for(layer, -1);
  }

  void after_forward(int layer) override {
    const int i = group_of_layer_[layer];
    if (spec_.stage == 3 && i >= 0 && groups_[i].bucket.first_layer == layer) scatter(i);
  }

  void before_backward(int layer) override {
    const int i = group_of_layer_[layer];
    // At most one group's gradients are on their way while the next are computed.
    finish_reductions(started_ - 1);
    if (spec_.stage == 3) gather_for(layer, +1);
    if (i < 0 || has_gradients_[i]) return;
    has_gradients_[i] = true;
    claim_remote(worker_, replica_.gradients, groups_[i]);
  }

  void after_backward(int layer) override {
    const int i = group_of_layer_[layer];
    if (spec_.stage == 3 && i >= 0 && groups_[i].bucket.last_layer == layer) scatter(i);
  }

  void gradient_ready(int layer) override {
    const int i = group_of_layer_[layer];
    if (i < 0 || groups_[i].bucket.last_layer != layer) return;
    reductions_[i] = start(ring_reduce_scatter, replica_.gradients, i);
    ++started_;
    if (!spec_.overlap) finish_reductions(started_);
  }

  void end_iteration() override {
    finish_reductions(started_);
    started_ = reduced_ = 0;
    const float average = 1.0F / static_cast<float>(replica_.scenario.workers);
    if (!admit_sharded_step(replica_, groups_, average)) return;
    for (int i = 0; i < count(); ++i) {
      replica_.optimizer.step(worker_, own_chunk(replica_.parameters, groups_[i]),
                              own_chunk(replica_.gradients, groups_[i]), groups_[i].shard_offset,
                              replica_.gradient_scale.factor(average));
      if (spec_.stage < 3) gathers_[i] = start(ring_all_gather, replica_.parameters, i);
    }
    if (spec_.stage < 3) wait_all(worker_, gathers_);
  }

  void begin_evaluation() override {
    for (int i = 0; i < count(); ++i) gather(i);
    wait_all(worker_, gathers_);
  }

  void end_evaluation() override {
    if (spec_.stage < 3) return;
    for (int i = 0; i < count(); ++i) scatter(i);
  }

  // Up to stage 2 every worker has all parameters; of optimizer state each has its shard.
  void visit_state(StateVisitor& visitor) override {
    ArenaPlace shard{Holder::kShard, {}};
    for (const LayerGroup& group : groups_) {
      shard.chunks.push_back(group.own);
      if (spec_.stage == 3)
        visitor.arena("parameters", own_chunk(replica_.parameters, group),
                      {Holder::kShard, {group.own}});
    }
    if (spec_.stage < 3)
      visitor.arena("parameters", replica_.parameters.view(),
                    {Holder::kAll, {{0, replica_.graph.parameter_elements()}}});
    replica_.optimizer.visit_state(visitor, "optimizer", shard);
    replica_.gradient_scale.visit_state(visitor);
  }

  void finish() override {
    begin_evaluation();  // of the final weights
    if (has_master()) gather_master_weights(replica_, groups_);
  }

 private:
  int count() const { return static_cast<int>(groups_.size()); }
  bool has_master() const { return replica_.scenario.precision.dtype() != DType::kFloat32; }

  Handle start(std::unique_ptr<const Schedule> (*schedule)(int, int, std::size_t),
               const Buffer& arena, int i) {
    const Bucket& bucket = groups_[i].bucket;
    return worker_.start(schedule(worker_.group().size, worker_.group().rank, bucket.elements),
                         arena.view().slice(bucket.offset, bucket.elements));
  }

  /// Waits for the parameters of the layer's group, and has those of the groups that come next, in
  /// steps of `direction`, on their way.
  void gather_for(int layer, int direction) {
    const int i = group_of_layer_[layer];
    if (i < 0) return;
    for (int next = i; next >= 0 && next < count(); next += direction) {
      if (std::abs(next - i) > spec_.groups_ahead()) break;
      gather(next);
    }
    worker_.wait(gathers_[i]);
  }

  void gather(int i) {
    if (is_gathered_[i]) return;
    is_gathered_[i] = true;
    claim_remote(worker_, replica_.parameters, groups_[i]);
    gathers_[i] = start(ring_all_gather, replica_.parameters, i);
  }

  void scatter(int i) {
    is_gathered_[i] = false;
    release_remote(worker_, replica_.parameters, groups_[i]);
  }

  /// Of the groups before `end`.
  void finish_reductions(int end) {
    for (; reduced_ < end; ++reduced_) {
      worker_.wait(reductions_[reduced_]);
      if (spec_.stage < 2) continue;
      has_gradients_[reduced_] = false;
      release_remote(worker_, replica_.gradients, groups_[reduced_]);
    }
  }

  Replica& replica_;
  Worker& worker_;
  const AlgorithmSpec& spec_;
  std::vector<LayerGroup> groups_;
  std::vector<int> group_of_layer_;
  std::vector<bool> is_gathered_;    ///< its parameters are here, or on their way
  std::vector<bool> has_gradients_;  ///< all of them, not its own chunk's alone
  std::vector<Handle> gathers_, reductions_;
  int started_ = 0;  ///< reductions of this iteration
  int reduced_ = 0;  ///< those that are finished
};

}  // namespace

std::unique_ptr<Strategy> make_zero(Replica& replica) {
  if (replica.scenario.algorithm.stage == 0) return std::make_unique<AllReduceSgd>(replica);
  return std::make_unique<Zero>(replica);
}

}  // namespace tandem
