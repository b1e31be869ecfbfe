#include <optional>
#include <string>

#include "real/cpu/layers/depthwise_gradient.h"
#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using onednn::Desc;
using onednn::Dims;
using onednn::Type;

Dims spatial(int height, int width) {
  return {height, width};
}

Desc any_layout(const Dims& dims, Type type) {
  return {dims, type, dnnl::memory::format_tag::any};
}

Desc activation_layout(const Site& site, const Dims& dims, Type type) {
  if (!site.channels_last) return any_layout(dims, type);
  return {dims, type, dnnl::memory::format_tag::nhwc};
}

/// What the three primitives of a convolution are described by, with factors of its products of one
/// type; oneDNN chooses the layouts, but for those of activations where channels come last.
struct Arguments {
  Arguments(const Site& site, Type factors) {
    const Layer& layer = site.layer;
    const LayerOptions& o = layer.options;
    const Dims input_dims = onednn::dims_of(site.inputs[0]->value.get_desc());
    const auto channels = input_dims[1];
    if (o.groups == 1) {
      weight_dims = {o.outputs, channels, o.kernel_height, o.kernel_width};
    } else {
      weight_dims = {o.groups, o.outputs / o.groups, channels / o.groups, o.kernel_height,
                     o.kernel_width};
    }
    const Dims output_dims = {site.batch_size, o.outputs, layer.output.height, layer.output.width};
    source = activation_layout(site, input_dims, factors);
    weights = any_layout(weight_dims, factors);
    output_gradient = activation_layout(site, output_dims, factors);
    output = activation_layout(site, output_dims, Type::f32);
    bias = Desc({o.outputs}, Type::f32, dnnl::memory::format_tag::a);
    weight_gradient = any_layout(weight_dims, Type::f32);
    source_gradient = activation_layout(site, input_dims, Type::f32);
    strides = spatial(o.stride_height, o.stride_width);
    padding = spatial(o.padding_height, o.padding_width);
  }

  Dims weight_dims;
  Desc source, weights, output_gradient;                ///< factors
  Desc output, bias, weight_gradient, source_gradient;  ///< sums
  Dims strides, padding;
};

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

/// What its only reader does to each sum, where that is a rectifier, whose backward reads only what
/// it made: so the sums themselves need not be kept.
dnnl::primitive_attr rectifier_after(const Site& site) {
  dnnl::post_ops operations;
  if (site.output.readers == 1 && site.output.read_by == LayerKind::kRelu) {
    onednn::append_eltwise(operations, dnnl::algorithm::eltwise_relu, 0, 0);
  } else if (site.output.readers == 1 && site.output.read_by == LayerKind::kRelu6) {
    onednn::append_eltwise(operations, dnnl::algorithm::eltwise_clip, 0, 6);
  }
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(operations);
  return attributes;
}

dnnl::convolution_forward::primitive_desc describe_forward(const Site& site, const Arguments& a) {
  const auto kind = dnnl::prop_kind::forward_training;
  const dnnl::engine& engine = site.device.engine();
  const dnnl::primitive_attr attributes = rectifier_after(site);
  if (!site.layer.options.bias) {
    return onednn::describe_with<dnnl::convolution_forward>(attributes, engine, kind, kAlgorithm,
                                                            a.source, a.weights, a.output,
                                                            a.strides, a.padding, a.padding);
  }
  return onednn::describe_with<dnnl::convolution_forward>(attributes, engine, kind, kAlgorithm,
                                                          a.source, a.weights, a.bias, a.output,
                                                          a.strides, a.padding, a.padding);
}

dnnl::convolution_backward_weights::primitive_desc describe_backward_weights(
    const Site& site, const Arguments& a, const dnnl::convolution_forward::primitive_desc& hint) {
  const dnnl::engine& engine = site.device.engine();
  if (!site.layer.options.bias) {
    return onednn::describe_backward<dnnl::convolution_backward_weights>(
        engine, hint, kAlgorithm, a.source, a.weight_gradient, a.output_gradient, a.strides,
        a.padding, a.padding);
  }
  return onednn::describe_backward<dnnl::convolution_backward_weights>(
      engine, hint, kAlgorithm, a.source, a.weight_gradient, a.bias, a.output_gradient, a.strides,
      a.padding, a.padding);
}

dnnl::convolution_backward_data::primitive_desc describe_backward_data(
    const Site& site, const Arguments& a, const dnnl::convolution_forward::primitive_desc& hint) {
  return onednn::describe_backward<dnnl::convolution_backward_data>(
      site.device.engine(), hint, kAlgorithm, a.source_gradient, a.weights, a.output_gradient,
      a.strides, a.padding, a.padding);
}

bool is_depthwise(const Site& site) {
  const LayerOptions& o = site.layer.options;
  return o.groups == o.outputs && o.groups == onednn::dims_of(site.inputs[0]->value.get_desc())[1];
}

/// Whether oneDNN has nothing made for such a convolution.
bool is_general(const std::string& chosen) {
  return chosen.find("gemm") != std::string::npos || chosen.find("ref") != std::string::npos;
}

/// The type of the factors: float32 where there is little to multiply, or oneDNN has only its
/// general code for others.
Type factors_of(const Site& site) {
  if (site.factors == Type::f32 || is_depthwise(site)) return Type::f32;
  const Arguments arguments(site, site.factors);
  const auto forward = describe_forward(site, arguments);
  const bool is_fast =
      !is_general(forward.impl_info_str()) &&
      !is_general(describe_backward_weights(site, arguments, forward).impl_info_str()) &&
      (!site.inputs[0]->needs_gradient ||
       !is_general(describe_backward_data(site, arguments, forward).impl_info_str()));
  return is_fast ? site.factors : Type::f32;
}

/// The kernel of our own for the gradient by the weights, where there is one and oneDNN has nothing
/// made for them.
std::optional<DepthwiseGradient> own_weight_gradient(
    const Site& site, const dnnl::convolution_forward::primitive_desc& forward,
    const std::string& chosen) {
  if (!is_general(chosen) || !is_depthwise(site) || site.layer.options.bias) return std::nullopt;
  const auto is_blocked = [](const Desc& desc) {
    return desc == Desc(onednn::dims_of(desc), Type::f32, dnnl::memory::format_tag::nChw16c);
  };
  if (!is_blocked(forward.src_desc()) || !is_blocked(forward.dst_desc())) return std::nullopt;
  const Dims source = onednn::dims_of(forward.src_desc());
  const Shape shape{static_cast<int>(source[1]), static_cast<int>(source[2]),
                    static_cast<int>(source[3])};
  return DepthwiseGradient{site.batch_size, shape.channels, shape, site.layer.output,
                           site.layer.options};
}

/// Weights are reordered from the plain arena before each use and their gradients back into it,
/// where the layouts differ.
class Convolution final : public CpuLayer {
 public:
  explicit Convolution(const Site& site)
      : device_(site.device),
        arguments_(site, factors_of(site)),
        description_(describe_forward(site, arguments_)) {
    has_bias_ = site.layer.options.bias;
    source_ = in_layout(device_, site.inputs[0]->value, description_.src_desc());
    weights_ =
        in_layout(device_, site.parameter(0, arguments_.weight_dims), description_.weights_desc());
    if (has_bias_) bias_ = site.parameter(1, {site.layer.options.outputs});
    site.output.value = device_.allocate(description_.dst_desc());
    value_ = site.output.value;
    site.output.is_rectified = rectifier_after(site).get_post_ops().len() > 0;
    forward_ = dnnl::convolution_forward(description_);
  }

  void forward(const Pass&) override {
    source_.run();
    weights_.run();
    device_.run(forward_, {{DNNL_ARG_SRC, source_.to()},
                           {DNNL_ARG_WEIGHTS, weights_.to()},
                           {DNNL_ARG_BIAS, bias_},
                           {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    prepare_backward_weights(site);
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) prepare_backward_data(site);
  }

  void backward() override {
    backward_weights();
    if (!passes_on_) return;
    backward_weight_values_.run();
    output_gradient_for_data_.run();
    device_.run(backward_data_, {{DNNL_ARG_WEIGHTS, backward_weight_values_.to()},
                                 {DNNL_ARG_DIFF_DST, output_gradient_for_data_.to()},
                                 {DNNL_ARG_DIFF_SRC, input_gradient_.from()}});
    input_gradient_.run();
  }

 private:
  void backward_weights() {
    backward_source_.run();
    output_gradient_for_weights_.run();
    if (own_weight_gradient_) {
      (*own_weight_gradient_)(floats_of(backward_source_.to()).data(),
                              floats_of(output_gradient_for_weights_.to()).data(),
                              floats_of(weight_gradient_.to()).data());
      return;
    }
    device_.run(backward_weights_, {{DNNL_ARG_SRC, backward_source_.to()},
                                    {DNNL_ARG_DIFF_DST, output_gradient_for_weights_.to()},
                                    {DNNL_ARG_DIFF_WEIGHTS, weight_gradient_.from()},
                                    {DNNL_ARG_DIFF_BIAS, bias_gradient_}});
    weight_gradient_.run();
  }

  void prepare_backward_weights(const Site& site) {
    const auto description = describe_backward_weights(site, arguments_, description_);
    own_weight_gradient_ = own_weight_gradient(site, description_, description.impl_info_str());
    const dnnl::memory gradient = site.parameter_gradient(0, arguments_.weight_dims);
    if (own_weight_gradient_) {
      backward_source_ = in_layout(device_, site.inputs[0]->value, description_.src_desc());
      output_gradient_for_weights_ =
          in_layout(device_, site.output.gradient, description_.dst_desc());
      weight_gradient_ = {device_, gradient, gradient};
      return;
    }
    backward_source_ = in_layout(device_, site.inputs[0]->value, description.src_desc());
    output_gradient_for_weights_ =
        in_layout(device_, site.output.gradient, description.diff_dst_desc());
    weight_gradient_ = out_of_layout(device_, description.diff_weights_desc(), gradient);
    if (has_bias_) bias_gradient_ = site.parameter_gradient(1, {site.layer.options.outputs});
    backward_weights_ = dnnl::convolution_backward_weights(description);
  }

  void prepare_backward_data(const Site& site) {
    const auto description = describe_backward_data(site, arguments_, description_);
    backward_weight_values_ =
        in_layout(device_, site.parameter(0, arguments_.weight_dims), description.weights_desc());
    const dnnl::memory& laid_out = output_gradient_for_weights_.to();
    output_gradient_for_data_ =
        laid_out.get_desc() == description.diff_dst_desc()
            ? Relayout(device_, laid_out, laid_out)
            : in_layout(device_, site.output.gradient, description.diff_dst_desc());
    input_gradient_ = site.input_gradient(0, description.diff_src_desc());
    backward_data_ = dnnl::convolution_backward_data(description);
  }

  Device& device_;
  Arguments arguments_;
  dnnl::convolution_forward::primitive_desc description_;
  bool has_bias_ = false;
  bool passes_on_ = false;

  dnnl::convolution_forward forward_;
  Relayout source_, weights_;
  dnnl::memory bias_, value_;

  dnnl::convolution_backward_weights backward_weights_;
  std::optional<DepthwiseGradient> own_weight_gradient_;
  Relayout backward_source_, output_gradient_for_weights_, weight_gradient_;
  dnnl::memory bias_gradient_;

  dnnl::convolution_backward_data backward_data_;
  Relayout backward_weight_values_, output_gradient_for_data_, input_gradient_;
};

}  // namespace

CpuLayerPointer make_convolution(const Site& site) {
  return std::make_unique<Convolution>(site);
}

}  // namespace tandem
