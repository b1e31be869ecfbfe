#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "core/comm/buffer.h"
#include "core/model/layer_graph.h"
#include "core/training/checkpoint/state.h"

namespace tandem {

/// A batch as a network takes it. `images` is {batch, channels, height, width}, row-major; `labels`
/// one class a sample, or of a sequence one a position; none for a stage without a loss.
struct Batch {
  std::span<const float> images;
  std::span<const std::int32_t> labels;
};

enum class Mode { kTraining, kEvaluation };

/// Of what workers tell each other about a layer whose statistics are those of all their batches:
/// the number of values of a channel and two sums a channel; 0 where the layer has none.
inline std::size_t statistic_elements(const Layer& layer) {
  return layer.kind == LayerKind::kBatchNorm ? 1 + 2 * std::size_t(layer.output.channels) : 0;
}

/// A model prepared on a device for one batch size: does the arithmetic that kernels stand for.
/// Parameters and gradients live in the caller's flat arenas, in the plain layouts that
/// ParameterTensor states; what a device reorders them to is its own affair. They are float32, or,
/// of a device that keeps copies of memory (Experiment::mirrors), of the scenario's precision. The
/// same inputs give the same bits on every run with the same number of threads.
class Network {
 public:
  virtual ~Network() = default;

  /// Memory that load() takes images from faster than from other memory; it may outlive this. What
  /// lies there must stay as it is until loss(), correct() or copy_output() of the pass that it was
  /// loaded for, or the backward() of all its layers, has returned.
  virtual std::shared_ptr<float[]> allocate_images(std::size_t count) {
    return std::make_shared<float[]>(count);
  }
  /// From the next load() on gradients are left in an arena of 16 bits `factor` times as large as
  /// they are; at first once. Elsewhere it is for the caller to scale them as he rounds them.
  virtual void scale_gradients(float /*factor*/) {}
  /// Copies a batch in. The spans must hold exactly the batch size this network was made for.
  virtual void load(const Batch& batch, Mode mode, std::uint64_t dropout_seed) = 0;
  /// Begins to copy in the images that the next load() will be given, which must stay as they are
  /// until then, while the network computes. Of memory of allocate_images().
  virtual void prefetch(std::span<const float> /*images*/) {}
  /// Runs layer `layer`; its inputs must have been run since load().
  virtual void forward(int layer) = 0;
  /// Adds up nothing: writes the layer's parameter gradients to its slice of the gradient arena,
  /// and passes on what its inputs need. Layers must be walked in reverse order, after a forward
  /// pass in Mode::kTraining.
  virtual void backward(int layer) = 0;
  /// Makes the next forward() or backward() of a batch norm one over all workers' batches: fills
  /// `sums`, of statistic_elements() float32, with what this batch contributes. The caller adds
  /// them up over the workers before it goes on with the pass, for which they must stay.
  virtual void sum_statistics(int layer, Phase phase, View sums) = 0;
  /// From now on has the running statistics of batch norms in common with `other`, which the same
  /// factory made for the same graph.
  virtual void share_statistics(const Network& other) = 0;
  /// Visits what it keeps from one batch to the next: running statistics of batch norms.
  virtual void visit_state(StateVisitor& visitor) = 0;
  /// Of a stage of a model (LayerGraph::stage()) that is not its last: copies out what its last
  /// layer put out, {batch, channels, height, width}, after that layer's forward().
  virtual void copy_output(std::span<float> output) const = 0;
  /// And takes in the gradient by that output, before that layer's backward().
  virtual void load_output_gradient(std::span<const float> gradient) = 0;
  /// Of a stage that is not the first: copies out the gradient by its input, after backward().
  virtual void copy_input_gradient(std::span<float> gradient) const = 0;
  /// Mean cross-entropy over the batch's labels; after forward() of the last layer.
  virtual double loss() const = 0;
  /// Labels of the batch at which the largest logit is; after forward() of the last layer.
  virtual int correct() const = 0;
};

/// Makes a network over the given arenas (graph.parameter_elements() each), which must outlive it.
using NetworkFactory = std::function<std::unique_ptr<Network>(
    const LayerGraph& graph, int batch_size, View parameters, View gradients)>;

/// What every factory asks of a graph: throws InputError where it, but for a stage of one, doesn't
/// end in a loss, or nothing reads a layer before its last.
void check_trainable(const LayerGraph& graph);

}  // namespace tandem
