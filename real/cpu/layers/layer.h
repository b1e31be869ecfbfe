#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/layer_graph.h"
#include "core/training/network.h"
#include "real/cpu/relayout.h"

namespace tandem {

/// A layer's output for a batch, and the gradient by it. Both are {batch, channels, height, width}
/// in one layout, which the layer that makes them chooses.
struct Activation {
  dnnl::memory value;
  dnnl::memory gradient;  ///< the readers' contributions added up; known once one contributes
  Lease gradient_lease;   ///< ends while building, where no pass needs the gradient any more
  LayerKind made_by = LayerKind::kInput;
  int readers = 0;
  LayerKind read_by = LayerKind::kInput;  ///< where there is one reader
  bool is_rectified = false;              ///< has its only reader's, a rectifier's, forward done
  bool needs_gradient = false;
};

/// What a pass is given by Network::load().
struct Pass {
  Mode mode = Mode::kTraining;
  std::uint64_t dropout_seed = 0;
  std::span<const std::int32_t> labels;
};

/// The place of a layer in a network that is being built: what its CpuLayer is made from.
/// References stay valid as long as the network; `layer` only while building.
struct Site {
  Device& device;
  const Layer& layer;
  int index;
  int batch_size;
  std::vector<Activation*> inputs;
  Activation& output;
  View parameters, gradients;  ///< the whole arenas
  bool channels_last;          ///< as of the whole network (layout.h)
  onednn::Type factors;        ///< of products, which are added in float32

  /// Plain layout of an activation of this shape.
  onednn::Desc plain(const Shape& shape) const;
  /// Parameter tensor `index` of this layer in the arena, or its gradient.
  dnnl::memory parameter(int index, const onednn::Dims& dims) const;
  dnnl::memory parameter_gradient(int index, const onednn::Dims& dims) const;

  /// Whether the output may take the place of the first input: no one else reads that, nor does the
  /// layer that made it once more in backward.
  bool may_overwrite_input() const;

  /// Backward, while building in reverse order: carries a gradient in the layout `produced` to
  /// inputs[input]->gradient, added where that input's later readers have contributed. Scratch or
  /// the gradient itself is from(). Requires the input to need a gradient.
  Relayout input_gradient(int input, const onednn::Desc& produced) const;
  /// The same for a gradient that lies in `source` already, of which `lease` is kept where the
  /// input's gradient can be that very memory; an empty lease asks for a copy.
  Relayout input_gradient_from(int input, const dnnl::memory& source, const Lease& lease) const;
  /// The same for a primitive that may write its result over output.gradient.
  Relayout input_gradient_in_place(int input) const;
};

/// A layer made ready on the device. Its constructor prepares forward and sets output.value.
class CpuLayer {
 public:
  virtual ~CpuLayer() = default;

  virtual void forward(const Pass& pass) = 0;
  /// As Network's function of this name; `other` is the same layer there.
  virtual void share_statistics(const CpuLayer& /*other*/) {}
  /// As Network's, under names that begin with `name`.
  virtual void visit_state(StateVisitor& /*visitor*/, const std::string& /*name*/) {}
  /// Called once, before any pass, on the layers in reverse order, and only where the layer needs a
  /// gradient; output.gradient is known but for the loss.
  virtual void prepare_backward(const Site& site) = 0;
  /// As Network's, of a layer that has statistics.
  virtual void sum_statistics(Phase, View) { assert(false); }
  /// Requires prepare_backward() and a forward pass in training mode.
  virtual void backward() = 0;
};

using CpuLayerPointer = std::unique_ptr<CpuLayer>;
CpuLayerPointer make_convolution(const Site& site);
CpuLayerPointer make_linear(const Site& site);
CpuLayerPointer make_batch_norm(const Site& site);
CpuLayerPointer make_pooling(const Site& site);  ///< max, average and global average
CpuLayerPointer make_relu(const Site& site);     ///< relu and relu6
CpuLayerPointer make_dropout(const Site& site);
CpuLayerPointer make_flatten(const Site& site);
CpuLayerPointer make_add(const Site& site);
CpuLayerPointer make_concat(const Site& site);
CpuLayerPointer make_embedding(const Site& site);
CpuLayerPointer make_layer_norm(const Site& site);
CpuLayerPointer make_gelu(const Site& site);
CpuLayerPointer make_attention(const Site& site);

/// The last layer, which also knows how the batch did.
class LossLayer : public CpuLayer {
 public:
  virtual double loss() const = 0;
  virtual int correct() const = 0;
};
std::unique_ptr<LossLayer> make_softmax_loss(const Site& site);

}  // namespace tandem
