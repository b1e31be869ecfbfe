#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/data/input_pipeline.h"
#include "core/strategies/pipeline/pass_order.h"
#include "core/strategies/pipeline/stage.h"
#include "core/strategies/strategy.h"
#include "core/training/experiment.h"

namespace tandem {

/// What a worker of a pipeline computes: it takes an iteration's micro-batches forward and backward
/// through its stage of the model, in the order of pass_order.h. Activations come from the stage
/// before and go to the one after, the gradients by them the other way; they go on while the worker
/// computes. Micro-batch m uses slot m modulo the number of those in flight.
class PipelinePasses {
 public:
  /// All must outlive it. Begins with batch `first_batch` of each pipeline's samples.
  PipelinePasses(const Experiment& experiment, Replica& replica, Strategy& strategy,
                 std::size_t first_batch);

  /// Leaves the sum of the micro-batches' gradients in the replica's. Returns the mean loss where
  /// this is the last stage of a run with data.
  std::optional<double> run(int iteration);

  /// The share of the test set that the model tells right, by the stages of one pipeline together:
  /// all of them call it, and the first gets it. Requires data.
  double accuracy();

  /// Visits what this stage's network keeps from one iteration to the next. Requires data.
  void visit_state(StateVisitor& visitor) { slots_.front().network->visit_state(visitor); }

 private:
  /// A tensor that one stage hands to the next, the gradient by it, and their ways.
  struct Boundary {
    Buffer activation, gradient;
    Handle activation_sent, activation_received, gradient_sent, gradient_received;
  };
  /// What a micro-batch in flight needs.
  struct Slot {
    std::unique_ptr<Network> network;  ///< null where the run models sizes
    Boundary before, after;            ///< empty at the model's ends
  };

  Boundary make_boundary(int layer);
  void make_networks();
  Slot& slot_of(int micro_batch) { return slots_[micro_batch % slots_.size()]; }
  std::span<const std::int32_t> labels_of(int micro_batch) const;

  void take_samples();
  void receive_activation(int micro_batch);
  void load(Slot& slot, int iteration, int micro_batch);
  void forward(int iteration, int micro_batch);
  void backward(int micro_batch);
  void run_layer(Slot& slot, int layer, Phase phase, int micro_batch);
  void backward_layer(Slot& slot, int layer, int micro_batch);
  void accumulate_gradients(int layer);
  void finish_sends();
  int test_batch(std::size_t first, PreparedBatch& batch, const BatchMaker& maker);
  View layer_slice(const Buffer& arena, int layer, std::size_t begin) const;

  const Experiment& experiment_;
  Replica& replica_;
  Worker& worker_;
  Strategy& strategy_;
  Stage stage_;
  int micro_batches_;
  int batch_size_;  ///< of a micro-batch
  std::vector<MicroBatchPass> order_;
  std::vector<Slot> slots_;
  Buffer pass_gradients_;  ///< of the stage, by one micro-batch, where several are added up
  std::size_t next_batch_;
  std::optional<Shard> shard_;            ///< of the last stage: labels of the pipeline's samples
  std::unique_ptr<InputPipeline> input_;  ///< of the first stage
  std::span<const float> images_;         ///< of the iteration, where this stage takes them
  std::vector<std::int32_t> labels_;      ///< likewise
};

}  // namespace tandem
