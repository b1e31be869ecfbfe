#include "core/strategies/pipeline/pipeline.h"

#include <set>

#include "core/base/square_sum.h"
#include "core/collectives/ring.h"
#include "core/collectives/subgroup.h"
#include "core/model/zoo.h"
#include "core/strategies/gradient_buckets.h"
#include "core/strategies/pipeline/stage.h"

namespace tandem {
namespace {

constexpr Tag kWeights = 3;

View slice(const Buffer& arena, const Chunk& chunk) {
  return arena.view().slice(chunk.offset, chunk.elements);
}

std::vector<Bucket> buckets_of(const Scenario& scenario, const LayerGraph& graph,
                               const Stage& stage) {
  auto buckets = gradient_buckets(graph.stage(stage.layers.first, stage.layers.last),
                                  scenario.algorithm.bucket_bytes);
  for (Bucket& bucket : buckets) {  // from the stage's own numbers to the model's
    bucket.offset += stage.parameters.offset;
    bucket.first_layer += stage.layers.first - 1;
    bucket.last_layer += stage.layers.first - 1;
  }
  return buckets;
}

class Pipeline final : public Strategy {
 public:
  explicit Pipeline(Replica& replica)
      : replica_(replica),
        worker_(replica.worker),
        stage_(stage_of(replica.scenario, replica.graph, worker_.group().rank)),
        buckets_(buckets_of(replica.scenario, replica.graph, stage_)),
        sums_(buckets_.size()) {
    worker_.claim(slice(replica.parameters, stage_.parameters));
    worker_.claim(slice(replica.gradients, stage_.parameters));
    if (!replica.parameters.view().has_data()) return;
    initialize_layers(replica.graph, replica.scenario.seed, stage_.layers.first, stage_.layers.last,
                      replica.parameters.view().floats());
  }

  void gradient_ready(int layer) override {
    if (!replica_.scenario.algorithm.overlap) return;
    while (started_ < buckets_.size() && buckets_[started_].last_layer >= layer) start_sum();
  }

  void end_iteration() override {
    while (started_ < buckets_.size()) start_sum();
    started_ = 0;
    const float average =
        1.0F / static_cast<float>(stage_.replicas * replica_.scenario.micro_batches());
    if (!admit_step(average)) return;
    if (replica_.optimizer.is_layer_wise()) measure(average);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      worker_.wait(sums_[i]);
      const Chunk bucket = chunk_of(buckets_[i]);
      replica_.optimizer.step(
          worker_, slice(replica_.parameters, bucket), slice(replica_.gradients, bucket),
          bucket.offset - stage_.parameters.offset, replica_.gradient_scale.factor(average));
    }
  }

  void visit_state(StateVisitor& visitor) override {
    const ArenaPlace place{Holder::kShard, {stage_.parameters}, stage_.replica, stage_.replicas};
    visitor.arena("parameters", slice(replica_.parameters, stage_.parameters), place);
    replica_.optimizer.visit_state(visitor, "optimizer", place);
    replica_.gradient_scale.visit_state(visitor);
  }

  // Each worker sends its stage to all others of its pipeline.
  void finish() override {
    std::vector<Handle> handles;
    const std::vector<int> ranks = stage_.pipeline();
    for (const Stage& theirs : stages_of(replica_.scenario, replica_.graph)) {
      if (theirs.index == stage_.index) continue;
      const int peer = ranks[theirs.index];
      const View weights = slice(replica_.parameters, theirs.parameters);
      worker_.claim(weights);
      handles.push_back(
          worker_.send(peer, kWeights, slice(replica_.parameters, stage_.parameters)));
      handles.push_back(worker_.receive(peer, kWeights, weights));
    }
    wait_all(worker_, handles);
  }

 private:
  static Chunk chunk_of(const Bucket& bucket) { return {bucket.offset, bucket.elements}; }

  void start_sum() {
    const Chunk bucket = chunk_of(buckets_[started_]);
    sums_[started_++] =
        worker_.start(subgroup(ring_all_reduce(stage_.replicas, stage_.replica, bucket.elements),
                               stage_.holders()),
                      slice(replica_.gradients, bucket));
  }

  /// As Replica::admit_step(), of the gradients of all stages. Their sums of squares are exact, so
  /// all workers agree.
  bool admit_step(float average) {
    if (!replica_.gradient_scale.needs_norm()) return true;
    wait_all(worker_, sums_);
    GradientNorm& norm = replica_.gradient_norm;
    norm.clear();
    norm.measure(slice(replica_.gradients, stage_.parameters));
    Handle summed = worker_.start(
        subgroup(ring_all_reduce(stage_.stages, stage_.index, kSquareSumWords), stage_.pipeline()),
        norm.sums());
    worker_.wait(summed);
    return replica_.admit_measured_step(average);
  }

  /// What Replica::admit_step() does for a layer-wise optimizer. No tensor is of two stages.
  void measure(float average) {
    wait_all(worker_, sums_);
    replica_.optimizer.measure(worker_, slice(replica_.parameters, stage_.parameters),
                               slice(replica_.gradients, stage_.parameters), 0,
                               replica_.gradient_scale.factor(average));
  }

  Replica& replica_;
  Worker& worker_;
  Stage stage_;
  std::vector<Bucket> buckets_;
  std::vector<Handle> sums_;
  std::size_t started_ = 0;  ///< of this iteration's sums
};

}  // namespace

std::unique_ptr<Strategy> make_pipeline(Replica& replica) {
  return std::make_unique<Pipeline>(replica);
}

std::vector<CollectiveUse> pipeline_collectives(const Scenario& scenario, const LayerGraph& graph) {
  std::vector<CollectiveUse> uses;
  std::set<std::size_t> sizes;
  for (const Stage& stage : stages_of(scenario, graph)) {
    for (const Bucket& bucket : buckets_of(scenario, graph, stage)) {
      if (stage.replicas == 1 || !sizes.insert(bucket.elements).second) continue;
      uses.push_back({.factory = ring_all_reduce,
                      .elements = bucket.elements,
                      .name = "ring",
                      .reason = "over the workers that hold a stage",
                      .ranks = stage.replicas});
    }
  }
  if (GradientScale(scenario).needs_norm() && scenario.stages() > 1) {
    uses.push_back({.factory = ring_all_reduce,
                    .elements = kSquareSumWords,
                    .dtype = DType::kInt64,
                    .name = "ring",
                    .reason = "over the stages of a pipeline",
                    .ranks = scenario.stages()});
  }
  return uses;
}

Holding pipeline_holding(const Scenario& scenario, const LayerGraph& graph, int rank) {
  return {.all_parameters = false,
          .all_gradients = false,
          .updated = {stage_of(scenario, graph, rank).parameters}};
}

}  // namespace tandem
