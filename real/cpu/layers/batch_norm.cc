#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "real/cpu/layers/elements.h"
#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

const auto kFlags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

/// A float for each channel.
struct Statistic {
  /// That lives in the network.
  Statistic(const Device& device, const onednn::Desc& desc, float initial)
      : Statistic(device.allocate(desc)) {
    values.setConstant(initial);
  }
  explicit Statistic(dnnl::memory numbers) : memory(std::move(numbers)), values(elements(memory)) {}

  dnnl::memory memory;
  Eigen::Map<Eigen::ArrayXf> values;
};

/// What evaluation goes by; networks may have them in common.
struct RunningStatistics {
  explicit RunningStatistics(int channels) : mean(channels, 0), variance(channels, 1) {}

  std::vector<float> mean, variance;  ///< by channel
};

onednn::Desc by_channel(const Site& site) {
  return {{site.layer.output.channels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

/// What a channel's statistics are made of, as they come from and go to other workers: {values,
/// then two sums a channel}.
struct Sums {
  explicit Sums(View view)
      : values(view.floats()[0]),
        first(view.floats().data() + 1, channels(view)),
        second(first.data() + channels(view), channels(view)) {}

  static Eigen::Index channels(View view) {
    return static_cast<Eigen::Index>(view.elements - 1) / 2;
  }

  float& values;
  Eigen::Map<Eigen::ArrayXf> first, second;
};

/// Batch normalisation (Ioffe and Szegedy, ICML 2015), of the batch alone or, where
/// sum_statistics() goes before a pass, of all workers' batches together (Peng et al., "MegDet",
/// CVPR 2018).
///
/// With y = scale x' + shift, x' = (x - mean) / deviation over N values, the gradient by x is
///   scale / deviation (dy - sum(dy) / N - x' sum(dy x') / N),
/// of which oneDNN computes the first term where it takes the statistics for constants. The others
/// are a batch normalisation of x with another scale and shift.
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
        running_(std::make_shared<RunningStatistics>(site.layer.output.channels)) {
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
    values_ = static_cast<float>(values);
  }

  void forward(const Pass& pass) override {
    if (pass.mode == Mode::kEvaluation) {
      normalise(evaluation_, running(running_->mean), running(running_->variance));
    } else if (const View sums = std::exchange(sums_, {}); sums.has_data()) {
      take_statistics(Sums(sums));
      normalise(evaluation_, mean_, variance_);
      renew_running_statistics(Sums(sums).values / std::max(1.0F, Sums(sums).values - 1));
    } else {
      normalise(training_, mean_, variance_);
      renew_running_statistics(unbias_);
    }
  }

  void share_statistics(const CpuLayer& other) override {
    running_ = static_cast<const BatchNorm&>(other).running_;
  }

  void visit_state(StateVisitor& visitor, const std::string& name) override {
    visit_vector(visitor, name + ".mean", running_->mean);
    visit_vector(visitor, name + ".variance", running_->variance);
  }

  void sum_statistics(Phase phase, View view) override {
    Sums sums(sums_ = view);
    sums.values = values_;
    if (phase == Phase::kForward) {
      normalise(training_, mean_, variance_);
      sums.first = values_ * mean_.values;
      sums.second = values_ * (variance_.values + mean_.values.square());
    } else {
      if (!correction_) correction_.emplace(*this);
      differentiate(constant_statistics_);
      sums.first = elements(shift_gradient_);
      sums.second = elements(scale_gradient_);
    }
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
    const auto constant = kFlags | dnnl::normalization_flags::use_global_stats;
    constant_statistics_ = dnnl::batch_normalization_backward(onednn::describe_batch_norm_backward(
        device_.engine(), input_.get_desc(), epsilon_, constant,
        onednn::describe_batch_norm(device_.engine(), dnnl::prop_kind::forward_training,
                                    input_.get_desc(), epsilon_, constant)));
  }

  void backward() override {
    if (const View sums = std::exchange(sums_, {}); sums.has_data()) {
      correct(Sums(sums));
    } else {
      differentiate(backward_);
    }
    if (passes_on_) input_gradient_.run();
  }

 private:
  /// What the sums of all workers add to the gradient by the input.
  struct Correction {
    explicit Correction(const BatchNorm& norm)
        : scale(norm.device_, norm.scale_.get_desc(), 0),
          shift(norm.device_, norm.scale_.get_desc(), 0),
          value(norm.device_.allocate(norm.input_.get_desc())),
          sum(onednn::describe_sum(norm.device_.engine(), value.get_desc(),
                                   {value.get_desc(), value.get_desc()})) {}

    Statistic scale, shift;
    dnnl::memory value;
    dnnl::sum sum;
  };

  void normalise(const dnnl::batch_normalization_forward& primitive, const Statistic& mean,
                 const Statistic& variance) {
    normalise(primitive, mean, variance, scale_, shift_, value_);
  }

  void normalise(const dnnl::batch_normalization_forward& primitive, const Statistic& mean,
                 const Statistic& variance, const dnnl::memory& scale, const dnnl::memory& shift,
                 const dnnl::memory& value) {
    device_.run(primitive, {{DNNL_ARG_SRC, input_},
                            {DNNL_ARG_SCALE, scale},
                            {DNNL_ARG_SHIFT, shift},
                            {DNNL_ARG_MEAN, mean.memory},
                            {DNNL_ARG_VARIANCE, variance.memory},
                            {DNNL_ARG_DST, value}});
  }

  void take_statistics(const Sums& sums) {
    mean_.values = sums.first / sums.values;
    variance_.values = (sums.second / sums.values - mean_.values.square()).max(0);
  }

  void renew_running_statistics(float unbias) {
    Statistic mean = running(running_->mean);
    Statistic variance = running(running_->variance);
    mean.values += momentum_ * (mean_.values - mean.values);
    variance.values += momentum_ * (unbias * variance_.values - variance.values);
  }

  Statistic running(std::vector<float>& numbers) const {
    return Statistic(device_.refer(mean_.memory.get_desc(), numbers.data()));
  }

  void correct(const Sums& sums) {
    if (!passes_on_) return;
    const Eigen::ArrayXf factor =
        -elements(scale_) / ((variance_.values + epsilon_).sqrt() * sums.values);
    correction_->shift.values = factor * sums.first;
    correction_->scale.values = factor * sums.second;
    normalise(evaluation_, mean_, variance_, correction_->scale.memory, correction_->shift.memory,
              correction_->value);
    device_.run(correction_->sum, {{DNNL_ARG_MULTIPLE_SRC, input_gradient_target_},
                                   {DNNL_ARG_MULTIPLE_SRC + 1, correction_->value},
                                   {DNNL_ARG_DST, input_gradient_target_}});
  }

  void differentiate(const dnnl::batch_normalization_backward& primitive) {
    std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_SRC, input_},
                                                       {DNNL_ARG_MEAN, mean_.memory},
                                                       {DNNL_ARG_VARIANCE, variance_.memory},
                                                       {DNNL_ARG_SCALE, scale_},
                                                       {DNNL_ARG_DIFF_DST, output_gradient_},
                                                       {DNNL_ARG_DIFF_SRC, input_gradient_target_},
                                                       {DNNL_ARG_DIFF_SCALE, scale_gradient_},
                                                       {DNNL_ARG_DIFF_SHIFT, shift_gradient_}};
    if (onednn::kBatchNormBackwardTakesShift) arguments.emplace(DNNL_ARG_SHIFT, shift_);
    device_.run(primitive, arguments);
  }

  Device& device_;
  float epsilon_, momentum_;
  float unbias_ = 1;  ///< turns the variance of a batch into its unbiased estimate
  bool passes_on_ = false;
  dnnl::memory input_, scale_, shift_, value_;
  Statistic mean_, variance_;
  std::shared_ptr<RunningStatistics> running_;
  dnnl::batch_normalization_forward::primitive_desc description_;
  dnnl::batch_normalization_forward training_, evaluation_;
  dnnl::batch_normalization_backward backward_, constant_statistics_;
  dnnl::memory output_gradient_, scale_gradient_, shift_gradient_;
  Relayout input_gradient_;
  dnnl::memory input_gradient_target_;
  float values_ = 0;  ///< of a channel in a batch
  View sums_;  ///< over workers, for the next pass; without data where it is of the batch alone
  std::optional<Correction> correction_;  ///< once statistics were summed
};

}  // namespace

CpuLayerPointer make_batch_norm(const Site& site) {
  return std::make_unique<BatchNorm>(site);
}

}  // namespace tandem
