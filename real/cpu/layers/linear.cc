#include "real/cpu/layers/layer.h"
#include "real/cpu/layers/thin_products.h"

namespace tandem {
namespace {

using onednn::Desc;
using onednn::matrix;
using onednn::Type;
using Dim = dnnl::memory::dim;

/// Everything is plain here, weights too: a linear layer uses each weight only once a row, so
/// reordering large weights (103 million in VGG's first) would take longer than multiplying by
/// them. oneDNN's products copy them all the same, so few rows are multiplied without, as float32.
class Linear final : public CpuLayer {
 public:
  explicit Linear(const Site& site)
      : device_(site.device),
        shape_{static_cast<std::size_t>(rows(site)), static_cast<std::size_t>(features(site)),
               static_cast<std::size_t>(site.layer.options.outputs)},
        is_thin_(thin::has_products(shape_)),
        has_bias_(site.layer.options.bias),
        factors_(is_thin_ ? Type::f32 : site.factors),
        description_(describe_forward(site)) {
    plain_input_ = onednn::plain_like(site.inputs[0]->value.get_desc(), factors_);
    source_ = in_layout(device_, site.inputs[0]->value, plain_input_);
    source_view_ = view(source_matrix(factors_), source_.to());
    const dnnl::memory weights = site.parameter(0, onednn::dims_of(weight_matrix(Type::f32)));
    weights_ = in_layout(device_, weights, weight_matrix(factors_));
    if (has_bias_) bias_ = site.parameter(1, {site.layer.options.outputs});
    site.output.value = device_.allocate(site.plain(site.layer.output));
    value_ = view(output_matrix(Type::f32), site.output.value);
    forward_ = dnnl::inner_product_forward(description_);
  }

  void forward(const Pass&) override {
    source_.run();
    weights_.run();
    if (is_thin_) {
      thin::multiply(shape_, floats(source_view_), floats(weights_.to()), floats_or_null(bias_),
                     floats(value_));
      return;
    }
    device_.run(forward_, {{DNNL_ARG_SRC, source_view_},
                           {DNNL_ARG_WEIGHTS, weights_.to()},
                           {DNNL_ARG_BIAS, bias_},
                           {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    backward_source_ = in_layout(device_, site.inputs[0]->value, plain_input_);
    backward_source_view_ = view(source_matrix(factors_), backward_source_.to());
    output_gradient_ = in_layout(device_, view(output_matrix(Type::f32), site.output.gradient),
                                 output_matrix(factors_));
    weight_gradient_ = site.parameter_gradient(0, onednn::dims_of(weight_matrix(Type::f32)));
    if (has_bias_) bias_gradient_ = site.parameter_gradient(1, {site.layer.options.outputs});
    backward_weights_ = dnnl::inner_product_backward_weights(describe_backward_weights());
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) prepare_backward_data(site);
  }

  void backward() override {
    backward_source_.run();
    output_gradient_.run();
    backward_weights();
    if (!passes_on_) return;
    backward_weight_values_.run();
    device_.run(backward_data_, {{DNNL_ARG_WEIGHTS, backward_weight_values_.to()},
                                 {DNNL_ARG_DIFF_DST, output_gradient_.to()},
                                 {DNNL_ARG_DIFF_SRC, input_gradient_view_}});
    input_gradient_.run();
  }

 private:
  static float* floats(const dnnl::memory& memory) { return floats_of(memory).data(); }
  float* floats_or_null(const dnnl::memory& bias) const {
    return has_bias_ ? floats(bias) : nullptr;
  }

  void backward_weights() {
    if (is_thin_) {
      thin::multiply_rows(shape_, floats(backward_source_view_), floats(output_gradient_.to()),
                          floats(weight_gradient_), floats_or_null(bias_gradient_));
      return;
    }
    device_.run(backward_weights_, {{DNNL_ARG_SRC, backward_source_view_},
                                    {DNNL_ARG_DIFF_DST, output_gradient_.to()},
                                    {DNNL_ARG_DIFF_WEIGHTS, weight_gradient_},
                                    {DNNL_ARG_DIFF_BIAS, bias_gradient_}});
  }

  static Dim features(const Site& site) {
    return static_cast<Dim>(site.layer.parameters[0].fan_in);
  }

  /// Of the batch: one a sample, or with each_row one a position.
  static Dim rows(const Site& site) {
    return Dim(site.batch_size) * rows_of(site.layer.output).count;
  }

  Desc source_matrix(Type type) const { return matrix(Dim(shape_.rows), Dim(shape_.inputs), type); }
  Desc weight_matrix(Type type) const {
    return matrix(Dim(shape_.outputs), Dim(shape_.inputs), type);
  }
  Desc output_matrix(Type type) const {
    return matrix(Dim(shape_.rows), Dim(shape_.outputs), type);
  }
  Desc bias_vector() const {
    return {{Dim(shape_.outputs)}, Type::f32, dnnl::memory::format_tag::a};
  }

  dnnl::memory view(const Desc& desc, const dnnl::memory& memory) const {
    return device_.refer(desc, memory.get_data_handle());
  }

  dnnl::inner_product_forward::primitive_desc describe_forward(const Site& site) const {
    const auto kind = dnnl::prop_kind::forward_training;
    const dnnl::engine& engine = site.device.engine();
    const Desc source = source_matrix(factors_), weights = weight_matrix(factors_);
    if (!has_bias_) {
      return onednn::describe<dnnl::inner_product_forward>(engine, kind, source, weights,
                                                           output_matrix(Type::f32));
    }
    return onednn::describe<dnnl::inner_product_forward>(engine, kind, source, weights,
                                                         bias_vector(), output_matrix(Type::f32));
  }

  dnnl::inner_product_backward_weights::primitive_desc describe_backward_weights() const {
    const Desc source = source_matrix(factors_), gradient = output_matrix(factors_);
    if (!has_bias_) {
      return onednn::describe_backward<dnnl::inner_product_backward_weights>(
          device_.engine(), description_, source, weight_matrix(Type::f32), gradient);
    }
    return onednn::describe_backward<dnnl::inner_product_backward_weights>(
        device_.engine(), description_, source, weight_matrix(Type::f32), bias_vector(), gradient);
  }

  void prepare_backward_data(const Site& site) {
    backward_weight_values_ =
        in_layout(device_, site.parameter(0, onednn::dims_of(weight_matrix(Type::f32))),
                  weight_matrix(factors_));
    input_gradient_ = site.input_gradient(0, onednn::plain_like(plain_input_));
    input_gradient_view_ = view(source_matrix(Type::f32), input_gradient_.from());
    backward_data_ = dnnl::inner_product_backward_data(
        onednn::describe_backward<dnnl::inner_product_backward_data>(
            device_.engine(), description_, source_matrix(Type::f32), weight_matrix(factors_),
            output_matrix(factors_)));
  }

  Device& device_;
  thin::Shape shape_;
  bool is_thin_;
  bool has_bias_;
  bool passes_on_ = false;
  Type factors_;  ///< of products
  dnnl::inner_product_forward::primitive_desc description_;
  Desc plain_input_;  ///< {batch, channels, height, width}; the same bytes as source_matrix()

  dnnl::inner_product_forward forward_;
  Relayout source_, weights_;
  dnnl::memory source_view_, bias_, value_;

  dnnl::inner_product_backward_weights backward_weights_;
  Relayout backward_source_, output_gradient_;
  dnnl::memory backward_source_view_, weight_gradient_, bias_gradient_;

  dnnl::inner_product_backward_data backward_data_;
  Relayout backward_weight_values_, input_gradient_;
  dnnl::memory input_gradient_view_;
};

}  // namespace

CpuLayerPointer make_linear(const Site& site) {
  return std::make_unique<Linear>(site);
}

}  // namespace tandem
