#include <Eigen/Core>

#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

const auto kFlags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

/// A float for each channel, that lives in the network.
struct Statistic {
  Statistic(const Device& device, const onednn::Desc& desc, float initial)
      : memory(device.allocate(desc)),
        values(static_cast<float*>(memory.get_data_handle()), onednn::dims_of(desc)[0]) {
    values.setConstant(initial);
  }

  dnnl::memory memory;
  Eigen::Map<Eigen::ArrayXf> values;
};

onednn::Desc by_channel(const Site& site) {
  return {{site.layer.output.channels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

/// Batch normalisation (Ioffe and Szegedy, ICML 2015).
class BatchNorm final : public CpuLayer {
 public:
  explicit BatchNorm(const Site& site)
      : device_(site.device),
        epsilon_(static_cast<float>(site.layer.options.epsilon)),
        momentum_(static_cast<float>(site.layer.options.momentum)),
        input_(site.inputs[0]->value),
        scale_(site.parameter(0, {site.layer.output.channels})),
        shift_(site.parameter(1, {site.layer.output.channels})),
        mean_(device_, by_channel(site), 0),
        variance_(device_, by_channel(site), 1),
        running_mean_(device_, by_channel(site), 0),
        running_variance_(device_, by_channel(site), 1) {
    const double values =
        double(site.batch_size) * site.layer.output.height * site.layer.output.width;
    if (values > 1) unbias_ = static_cast<float>(values / (values - 1));
    const onednn::Desc layout = input_.get_desc();
    description_ = onednn::describe_batch_norm(device_.engine(), dnnl::prop_kind::forward_training,
                                               layout, epsilon_, kFlags);
    training_ = dnnl::batch_normalization_forward(description_);
    evaluation_ = dnnl::batch_normalization_forward(onednn::describe_batch_norm(
        device_.engine(), dnnl::prop_kind::forward_inference, layout, epsilon_,
        kFlags | dnnl::normalization_flags::use_global_stats));
    value_ = site.output.value = device_.allocate(layout);
  }

  void forward(const Pass& pass) override {
    const bool trains = pass.mode == Mode::kTraining;
    device_.run(trains ? training_ : evaluation_,
                {{DNNL_ARG_SRC, input_},
                 {DNNL_ARG_SCALE, scale_},
                 {DNNL_ARG_SHIFT, shift_},
                 {DNNL_ARG_MEAN, (trains ? mean_ : running_mean_).memory},
                 {DNNL_ARG_VARIANCE, (trains ? variance_ : running_variance_).memory},
                 {DNNL_ARG_DST, value_}});
    if (!trains) return;
    running_mean_.values += momentum_ * (mean_.values - running_mean_.values);
    running_variance_.values += momentum_ * (unbias_ * variance_.values - running_variance_.values);
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    scale_gradient_ = site.parameter_gradient(0, {site.layer.output.channels});
    shift_gradient_ = site.parameter_gradient(1, {site.layer.output.channels});
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) {
      input_gradient_ = site.input_gradient_in_place(0);
      input_gradient_target_ = input_gradient_.from();
    } else {  // oneDNN computes it all the same
      input_gradient_target_ = device_.scratch(input_.get_desc());
    }
    backward_ = dnnl::batch_normalization_backward(onednn::describe_batch_norm_backward(
        device_.engine(), input_.get_desc(), epsilon_, kFlags, description_));
  }

  void backward() override {
    std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_SRC, input_},
                                                       {DNNL_ARG_MEAN, mean_.memory},
                                                       {DNNL_ARG_VARIANCE, variance_.memory},
                                                       {DNNL_ARG_SCALE, scale_},
                                                       {DNNL_ARG_DIFF_DST, output_gradient_},
                                                       {DNNL_ARG_DIFF_SRC, input_gradient_target_},
                                                       {DNNL_ARG_DIFF_SCALE, scale_gradient_},
                                                       {DNNL_ARG_DIFF_SHIFT, shift_gradient_}};
    if (onednn::kBatchNormBackwardTakesShift) arguments.emplace(DNNL_ARG_SHIFT, shift_);
    device_.run(backward_, arguments);
    if (passes_on_) input_gradient_.run();
  }

 private:
  Device& device_;
  float epsilon_, momentum_;
  float unbias_ = 1;  ///< turns the variance of a batch into its unbiased estimate
  bool passes_on_ = false;
  dnnl::memory input_, scale_, shift_, value_;
  Statistic mean_, variance_, running_mean_, running_variance_;
  dnnl::batch_normalization_forward::primitive_desc description_;
  dnnl::batch_normalization_forward training_, evaluation_;
  dnnl::batch_normalization_backward backward_;
  dnnl::memory output_gradient_, scale_gradient_, shift_gradient_;
  Relayout input_gradient_;
  dnnl::memory input_gradient_target_;
};

}  // namespace

CpuLayerPointer make_batch_norm(const Site& site) {
  return std::make_unique<BatchNorm>(site);
}

}  // namespace tandem
