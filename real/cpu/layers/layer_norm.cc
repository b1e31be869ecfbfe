#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using onednn::Desc;

const auto kFlags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

Desc vector(dnnl::memory::dim elements) {
  return {{elements}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

/// Layer normalisation (Ba, Kiros and Hinton, 2016) of each row.
class LayerNorm final : public CpuLayer {
 public:
  explicit LayerNorm(const Site& site)
      : device_(site.device),
        epsilon_(static_cast<float>(site.layer.options.epsilon)),
        features_(rows_of(site.layer.output).features),
        matrix_(onednn::matrix(rows(site), features_)),
        plain_(site.plain(site.layer.output)),
        source_(in_layout(device_, site.inputs[0]->value, plain_)),
        source_view_(view(source_.to())),
        scale_(site.parameter(0, {features_})),
        shift_(site.parameter(1, {features_})),
        mean_(device_.allocate(vector(rows(site)))),
        variance_(device_.allocate(vector(rows(site)))) {
    site.output.value = device_.allocate(plain_);
    value_ = view(site.output.value);
    description_ = onednn::describe_layer_norm(device_.engine(), matrix_, vector(rows(site)),
                                               epsilon_, kFlags);
    forward_ = dnnl::layer_normalization_forward(description_);
  }

  void forward(const Pass&) override {
    source_.run();
    device_.run(forward_, {{DNNL_ARG_SRC, source_view_},
                           {DNNL_ARG_SCALE, scale_},
                           {DNNL_ARG_SHIFT, shift_},
                           {DNNL_ARG_MEAN, mean_},
                           {DNNL_ARG_VARIANCE, variance_},
                           {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    backward_source_ = in_layout(device_, site.inputs[0]->value, plain_);
    backward_source_view_ = view(backward_source_.to());
    output_gradient_ = view(site.output.gradient);
    scale_gradient_ = site.parameter_gradient(0, {features_});
    shift_gradient_ = site.parameter_gradient(1, {features_});
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = site.input_gradient_in_place(0);
    // oneDNN computes it in any case.
    input_gradient_view_ = view(passes_on_ ? input_gradient_.from() : device_.scratch(plain_));
    backward_ = dnnl::layer_normalization_backward(onednn::describe_layer_norm_backward(
        device_.engine(), matrix_, vector(rows(site)), epsilon_, kFlags, description_));
  }

  void backward() override {
    backward_source_.run();
    device_.run(backward_, {{DNNL_ARG_SRC, backward_source_view_},
                            {DNNL_ARG_MEAN, mean_},
                            {DNNL_ARG_VARIANCE, variance_},
                            {DNNL_ARG_SCALE, scale_},
                            {DNNL_ARG_SHIFT, shift_},  // of no use, but oneDNN demands it up to 3.9
                            {DNNL_ARG_DIFF_DST, output_gradient_},
                            {DNNL_ARG_DIFF_SRC, input_gradient_view_},
                            {DNNL_ARG_DIFF_SCALE, scale_gradient_},
                            {DNNL_ARG_DIFF_SHIFT, shift_gradient_}});
    if (passes_on_) input_gradient_.run();
  }

 private:
  static dnnl::memory::dim rows(const Site& site) {
    return dnnl::memory::dim(site.batch_size) * rows_of(site.layer.output).count;
  }

  /// A plain tensor's rows.
  dnnl::memory view(const dnnl::memory& memory) const {
    return device_.refer(matrix_, memory.get_data_handle());
  }

  Device& device_;
  float epsilon_;
  int features_;
  bool passes_on_ = false;
  Desc matrix_, plain_;
  Relayout source_;
  dnnl::memory source_view_, scale_, shift_, mean_, variance_, value_;
  dnnl::layer_normalization_forward::primitive_desc description_;
  dnnl::layer_normalization_forward forward_;

  Relayout backward_source_, input_gradient_;
  dnnl::memory backward_source_view_, output_gradient_, scale_gradient_, shift_gradient_,
      input_gradient_view_;
  dnnl::layer_normalization_backward backward_;
};

}  // namespace

CpuLayerPointer make_layer_norm(const Site& site) {
  return std::make_unique<LayerNorm>(site);
}

}  // namespace tandem
