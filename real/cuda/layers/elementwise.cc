#include <cmath>

#include "real/cuda/kernels/works.h"
#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

/// Over the input where nothing else needs it.
Tensor output_like_input(const Site& site) {
  return site.may_overwrite_input() ? site.inputs[0]->value : site.allocate(site.layer.output);
}

/// Work whose items are stretches.
template <typename Work>
void launch_stretches(Engine& engine, const Work& work) {
  launch_items(engine, count_stretches(work.elements, Work::kWidth), work);
}

/// ReLU and ReLU6, whose backward goes by the output. The layer before may do all of it.
class RectifyLayer final : public CudaLayer {
 public:
  explicit RectifyLayer(const Site& site)
      : engine_(site.engine),
        bounds_{0, site.layer.kind == LayerKind::kRelu6 ? 6 : INFINITY},
        input_(site.inputs[0]->value),
        value_(site.output.value = output_like_input(site)) {
    CudaLayer* before = site.inputs[0]->layer;
    is_done_before_ = before != nullptr && site.may_overwrite_input() && before->rectify(bounds_);
  }

  void forward(const Pass&) override {
    if (is_done_before_) return;
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_stretches(engine_,
                       Rectify<T>{input_.as<T>(), value_.as<T>(), value_.elements(), bounds_});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = is_done_before_ ? site.handed_on(0) : site.input_gradient(0);
  }

  void backward() override {
    if (is_done_before_) return;
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_stretches(
          engine_, RectifyBackward<T>{value_.as<T>(), output_gradient_.as<T>(),
                                      input_gradient_.target.as<T>(), value_.elements(), bounds_,
                                      input_gradient_.adds});
    });
  }

 private:
  Engine& engine_;
  Bounds bounds_;
  bool is_done_before_ = false;  ///< by the layer that makes the input
  Tensor input_, value_, output_gradient_;
  Contribution input_gradient_;
};

class GeluLayer final : public CudaLayer {
 public:
  explicit GeluLayer(const Site& site)
      : engine_(site.engine),
        input_(site.inputs[0]->value),
        value_(site.output.value = site.allocate(site.layer.output)) {}

  void forward(const Pass&) override {
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_stretches(engine_, Gelu<T>{input_.as<T>(), value_.as<T>(), value_.elements()});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0);
  }

  void backward() override {
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_stretches(engine_, GeluBackward<T>{input_.as<T>(), output_gradient_.as<T>(),
                                                input_gradient_.target.as<T>(), value_.elements(),
                                                input_gradient_.adds});
    });
  }

 private:
  Engine& engine_;
  Tensor input_, value_, output_gradient_;
  Contribution input_gradient_;
};

/// Backward draws the same numbers again rather than keep which elements stayed.
class DropoutLayer final : public CudaLayer {
 public:
  explicit DropoutLayer(const Site& site)
      : engine_(site.engine),
        index_(site.index),
        probability_(static_cast<float>(site.layer.options.probability)),
        input_(site.inputs[0]->value),
        value_(site.output.value = output_like_input(site)) {}

  void forward(const Pass& pass) override {
    seed_ = pass.dropout_seed;
    if (pass.mode == Mode::kTraining) {
      drop(input_, {value_, false});
    } else if (input_.data != value_.data) {
      carry(engine_, input_, value_);
    }
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0);
  }

  void backward() override { drop(output_gradient_, input_gradient_); }

 private:
  void drop(const Tensor& from, const Contribution& to) {
    with_type(from.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_items(engine_, from.elements(),
                   Dropout<T>{from.as<T>(), to.target.as<T>(), from.geometry, seed_,
                              static_cast<std::uint64_t>(index_), probability_, to.adds});
    });
  }

  Engine& engine_;
  int index_;
  float probability_;
  const std::uint64_t* seed_ = nullptr;
  Tensor input_, value_, output_gradient_;
  Contribution input_gradient_;
};

}  // namespace

CudaLayerPointer make_relu(const Site& site) {
  return std::make_unique<RectifyLayer>(site);
}

CudaLayerPointer make_gelu(const Site& site) {
  return std::make_unique<GeluLayer>(site);
}

CudaLayerPointer make_dropout(const Site& site) {
  return std::make_unique<DropoutLayer>(site);
}

}  // namespace tandem::cuda
