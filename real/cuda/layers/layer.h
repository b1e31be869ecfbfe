#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/training/network.h"
#include "real/cuda/engine.h"
#include "real/cuda/kernels/elementwise.h"
#include "real/cuda/parameters.h"
#include "real/cuda/with_type.h"
#include "real/cuda/working_memory.h"

namespace tandem::cuda {

/// A tensor on the GPU.
struct Tensor {
  std::byte* data = nullptr;
  DType dtype = DType::kFloat32;
  Geometry geometry;

  int elements() const { return static_cast<int>(geometry.elements()); }
  std::size_t bytes() const { return std::size_t(elements()) * size_of(dtype); }
  template <typename T>
  T* as() const {
    assert(dtype == dtype_of<T>());
    return reinterpret_cast<T*>(data);
  }
};

/// Calls `body` with the number of neighbours in a tensor that a thread takes at once, as a
/// std::integral_constant: as many as fit where `in_packs`, or 1.
template <typename T, typename Body>
void with_width(bool in_packs, const Body& body) {
  if (in_packs) {
    body(std::integral_constant<int, kPackWidth<T>>());
  } else {
    body(std::integral_constant<int, 1>());
  }
}
/// Of a tensor whose neighbours must all be of one channel, or of consecutive ones.
template <typename T, typename Body>
void with_width(const Geometry& geometry, const Body& body) {
  with_width<T>(geometry.run() % kPackWidth<T> == 0, body);
}

class CudaLayer;

/// A layer's output for a batch, and the gradient by it, in one layout.
struct Activation {
  Tensor value;
  CudaLayer* layer = nullptr;  ///< that made it, where it may do its only reader's work, too
  Tensor gradient;             ///< the readers' contributions added up; known once one contributes
  Lease gradient_lease;        ///< ends while building, where no pass needs the gradient any more
  LayerKind made_by = LayerKind::kInput;
  int readers = 0;
  int last_reader = 0, reader_before_last = 0;
  bool needs_gradient = false;
};

/// What a pass is given by Network::load().
struct Pass {
  Mode mode = Mode::kTraining;
  const std::uint64_t* dropout_seed = nullptr;  ///< on the GPU
};

/// Where a layer leaves its gradient by an input.
struct Contribution {
  Tensor target;
  bool adds = false;  ///< to what other readers have left there
};

/// The place of a layer in a network that is being built: what its CudaLayer is made from.
/// References stay valid as long as the network; `layer` only while building.
struct Site {
  Engine& engine;
  WorkingMemory& memory;
  const Layer& layer;
  int index;
  int batch_size;
  std::vector<Activation*> inputs;
  Activation& output;
  const DeviceArena& parameters;
  const DeviceArena& gradients;
  const std::int32_t* labels;  ///< of the batch, on the GPU
  DType dtype;                 ///< of activations
  Layout layout;               ///< of images
  float gradient_scale;        ///< what gradients by activations are multiplied by on their way

  /// A new tensor for an activation of this shape.
  Tensor allocate(const Shape& shape) const;
  /// Parameter tensor `index` of this layer, or its gradient.
  float* parameter(int index) const { return parameters.tensor(this->index, index); }
  std::byte* rounded_parameter(int index) const {
    return parameters.rounded_tensor(this->index, index);
  }
  float* parameter_gradient(int index) const { return gradients.tensor(this->index, index); }

  /// Whether the output may take the place of the first input: no one else reads that, nor does the
  /// layer that made it once more in backward.
  bool may_overwrite_input() const;

  /// Backward, while building in reverse order: where the gradient by an input goes. Requires the
  /// input to need one.
  Contribution input_gradient(int input) const;
  /// The same for a layer that hands its output's gradient on as it is: where possible the very
  /// same memory, which is told by `target.data`. Where that of layer `read_until` is the last
  /// backward() that reads the gradient, others may add to it after that.
  Contribution handed_on(int input, int read_until = 0) const;
};

/// A layer made ready on the GPU. Its constructor prepares forward and sets output.value. All that
/// it does is queued; nothing waits.
class CudaLayer {
 public:
  virtual ~CudaLayer() = default;

  virtual void forward(const Pass& pass) = 0;

  // What the only layer that reads this one's output may ask for while building; each tells whether
  // this one does it.

  /// Rectifies its output itself; in backward it takes the gradient by what that is then.
  virtual bool rectify(const Bounds& /*bounds*/) { return false; }
  /// Leaves its output to the reader, which calls write_sum() in its own forward(), and may call
  /// rectify_gradient() in backward().
  virtual bool join_sum() { return false; }
  /// The other layer that is only read there may leave its output to this one, which has joined.
  virtual void join_with(CudaLayer& /*other*/) {}
  /// Its output, plus `added`, the other's, within the bounds.
  virtual void write_sum(const Tensor& /*added*/, const Bounds& /*bounds*/) { assert(false); }
  /// From the gradient by what write_sum() left to that by the sum before the bounds, which is this
  /// layer's output gradient. It need not be asked.
  virtual void rectify_gradient(const Tensor& /*by_output*/) { assert(false); }

  /// As Network's function of this name; `other` is the same layer there.
  virtual void share_statistics(const CudaLayer& /*other*/) {}
  /// As Network's, under names that begin with `name`.
  virtual void visit_state(StateVisitor& /*visitor*/, const std::string& /*name*/) {}
  /// Called once, before any pass, on the layers in reverse order, and only where the layer needs a
  /// gradient; output.gradient is known but for the loss.
  virtual void prepare_backward(const Site& site) = 0;
  /// As Network's, of a layer that has statistics. Waits for them.
  virtual void sum_statistics(Phase, const View&) { assert(false); }
  /// Requires prepare_backward() and a forward pass in training mode.
  virtual void backward() = 0;
};

using CudaLayerPointer = std::unique_ptr<CudaLayer>;
CudaLayerPointer make_convolution(const Site& site);
CudaLayerPointer make_linear(const Site& site);
CudaLayerPointer make_batch_norm(const Site& site);
CudaLayerPointer make_pooling(const Site& site);  ///< max, average and global average
CudaLayerPointer make_relu(const Site& site);     ///< relu and relu6
CudaLayerPointer make_dropout(const Site& site);
CudaLayerPointer make_flatten(const Site& site);
CudaLayerPointer make_add(const Site& site);
CudaLayerPointer make_concat(const Site& site);
CudaLayerPointer make_embedding(const Site& site);
CudaLayerPointer make_layer_norm(const Site& site);
CudaLayerPointer make_gelu(const Site& site);
CudaLayerPointer make_attention(const Site& site);

/// The last layer, which also knows how the batch did, once its forward() is done.
class LossLayer : public CudaLayer {
 public:
  virtual double loss() const = 0;
  virtual int correct() const = 0;
};
std::unique_ptr<LossLayer> make_softmax_loss(const Site& site);

/// Carries a tensor into another of the same shape, in its layout and type, times `factor`; or
/// adds.
void carry(Engine& engine, const Tensor& from, const Tensor& to, float factor = 1,
           bool adds = false);
/// The same between a tensor and the channels of another from `first_channel` on.
void carry_into(Engine& engine, const Tensor& from, const Tensor& whole, int first_channel);
void carry_out_of(Engine& engine, const Tensor& whole, int first_channel, const Tensor& to,
                  bool adds);

/// Adds a number a channel.
void add_bias(Engine& engine, const Tensor& tensor, const float* bias);

/// The tensor in the plain layout and its own type: itself, or a copy in scratch memory, which
/// run() makes. A layer that works on rows reads its input through one.
class PlainInput {
 public:
  PlainInput() = default;
  explicit PlainInput(const Site& site);

  const Tensor& tensor() const { return plain_; }
  void run(Engine& engine) const;

 private:
  Tensor source_, plain_;
};

/// Where such a layer leaves the gradient by its input: run() carries it there where that is not
/// plain.
class PlainGradient {
 public:
  PlainGradient() = default;
  explicit PlainGradient(const Site& site);

  const Tensor& tensor() const { return plain_; }
  bool adds() const { return plain_.data == target_.target.data && target_.adds; }
  void run(Engine& engine) const;

 private:
  Contribution target_;
  Tensor plain_;
};

}  // namespace tandem::cuda
