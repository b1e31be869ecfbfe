#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/data/input_pipeline.h"
#include "core/strategies/strategy.h"
#include "core/training/experiment.h"
#include "core/training/pipeline_passes.h"

namespace tandem {

/// The training loop of one worker, the same in both worlds: with a network it trains, without one
/// it only says what would be computed and sent.
class Trainer {
 public:
  /// All must outlive it.
  Trainer(const Experiment& experiment, Replica& replica, Checkpoints& checkpoints);

  /// Trains up to experiment.iterations, from the beginning or a checkpoint. Where there is data,
  /// rank 0 records accuracies on the test set: of its own weights every scenario.evaluate_every
  /// iterations, and of the final weights.
  void train();

  /// Of the iterations of train(): what Worker::memory() and measured_peak_bytes() said at their
  /// end.
  std::uint64_t held_peak_bytes() const { return held_peak_bytes_; }
  std::uint64_t measured_peak_bytes() const { return measured_peak_bytes_; }

 private:
  void time_iteration(int iteration);
  void run_iteration(int iteration);
  /// Forward and backward over the iteration's batches. Returns their mean loss.
  std::optional<double> run_passes(int iteration);
  /// A forward and backward pass over the worker's batch `batch`; `pass` counts within the
  /// iteration.
  void run_pass(int batch, int pass);
  void load_batch(int batch);
  void run_layer(int layer, Phase phase, int pass);
  void synchronize_statistics(int layer, Phase phase);
  void forward(int layer);
  void backward(int layer, int pass);
  void accumulate_gradients(int layer);
  bool is_due(int iterations_done) const;
  void evaluate_if_due(int iterations_done);
  void save(int iterations_done);
  void visit_state(StateVisitor& visitor);
  bool evaluates() const;
  void evaluate(int iterations_done);
  double accuracy();
  View layer_slice(const Buffer& arena, int layer) const;

  const Experiment& experiment_;
  Replica& replica_;
  Checkpoints& checkpoints_;
  std::unique_ptr<Strategy> strategy_;
  /// What the network computes in where that isn't the replica's own arenas: float32 parameters and
  /// gradients of a 16-bit replica, and the gradients of one pass where several are added up.
  Buffer network_parameters_, network_gradients_;
  Buffer statistics_;  ///< of the batch norm being computed, where they are synchronised
  std::unique_ptr<Network> network_;          ///< null where the run models sizes
  std::unique_ptr<InputPipeline> input_;      ///< likewise
  std::unique_ptr<PipelinePasses> pipeline_;  ///< in place of those two where it is one
  std::optional<double> loss_;  ///< of an iteration; nothing where no loss is computed here
  std::uint64_t held_peak_bytes_ = 0;
  std::uint64_t measured_peak_bytes_ = 0;
};

}  // namespace tandem
