#include "real/cuda/layers/channel_sums.h"

namespace tandem::cuda {
namespace {

ConvolutionShape shape_of(const Site& site) {
  const LayerOptions& o = site.layer.options;
  const Shape& output = site.layer.output;
  ConvolutionShape shape{
      .input = site.inputs[0]->value.geometry,
      .output = {site.batch_size, output.channels, output.height, output.width, site.layout},
      .kernel_height = o.kernel_height,
      .kernel_width = o.kernel_width,
      .stride_height = o.stride_height,
      .stride_width = o.stride_width,
      .padding_height = o.padding_height,
      .padding_width = o.padding_width,
      .groups = o.groups,
      .dtype = site.dtype};
  shape.input.layout = site.layout;  // one of another name has the same bytes
  return shape;
}

/// The arena's weights serve as they are where they have the convolution's type and layout, which
/// those of one pixel have in any; else each forward pass makes a copy that does. So do its
/// gradients; else backward carries them over.
class ConvolutionLayer final : public CudaLayer {
 public:
  explicit ConvolutionLayer(const Site& site)
      : engine_(site.engine),
        shape_(shape_of(site)),
        convolution_(engine_.convolution(shape_)),
        input_(site.inputs[0]->value),
        gradient_scale_(site.gradient_scale) {
    Geometry plain = shape_.weights();
    plain.layout = Layout::kPlain;
    const auto of_arena = [&](float* data) {
      return Tensor{reinterpret_cast<std::byte*>(data), DType::kFloat32, plain};
    };
    arena_weights_ = of_arena(site.parameter(0));
    arena_gradient_ = of_arena(site.parameter_gradient(0));
    weights_ = arena_weights_;
    if (!shares_arena()) {
      weights_ = {nullptr, shape_.dtype, shape_.weights()};
      if (weights_.geometry.space() == 1) weights_.data = site.rounded_parameter(0);
      has_copy_ = weights_.data == nullptr;
      if (has_copy_) weights_.data = site.memory.allocate(weights_.bytes());
    }
    if (site.layer.options.bias) bias_ = site.parameter(1);
    value_ = site.output.value = site.allocate(site.layer.output);
  }

  void forward(const Pass&) override {
    if (has_copy_) carry(engine_, arena_weights_, weights_);
    convolution_->forward(input_.data, weights_.data, value_.data);
    if (bias_ != nullptr) add_bias(engine_, value_, bias_);
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    if (bias_ != nullptr) {
      bias_gradient_ = site.parameter_gradient(1);
      bias_sums_ = ChannelSums(site.memory, shape_.output);
    }
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = site.input_gradient(0);
    weight_gradient_ = arena_gradient_;
    if (!shares_arena()) {
      weight_gradient_ = weights_;
      weight_gradient_.data = site.memory.lease(weights_.bytes()).get();  // until it has run
    }
  }

  void backward() override {
    convolution_->backward_weights(input_.data, output_gradient_.data, weight_gradient_.data);
    if (!shares_arena()) carry(engine_, weight_gradient_, arena_gradient_, 1 / gradient_scale_);
    if (bias_ != nullptr) sum_bias_gradient();
    if (!passes_on_) return;
    convolution_->backward_input(weights_.data, output_gradient_.data, input_gradient_.target.data,
                                 input_gradient_.adds);
  }

 private:
  bool shares_arena() const {
    return shape_.dtype == DType::kFloat32 && shape_.output.layout == Layout::kPlain &&
           gradient_scale_ == 1;
  }

  void sum_bias_gradient() {
    with_type(output_gradient_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      bias_sums_.add_up(engine_, Value<T>{output_gradient_.as<T>()});
    });
    bias_sums_.leave(engine_, bias_gradient_, nullptr, 1 / gradient_scale_);
  }

  Engine& engine_;
  ConvolutionShape shape_;
  std::shared_ptr<Convolution> convolution_;
  Tensor input_, value_, arena_weights_, arena_gradient_, weights_;
  bool has_copy_ = false;  ///< of the weights
  float gradient_scale_;
  const float* bias_ = nullptr;

  bool passes_on_ = false;
  Tensor output_gradient_, weight_gradient_;
  Contribution input_gradient_;
  float* bias_gradient_ = nullptr;
  ChannelSums bias_sums_;
};

}  // namespace

CudaLayerPointer make_convolution(const Site& site) {
  return std::make_unique<ConvolutionLayer>(site);
}

}  // namespace tandem::cuda
