#include <cassert>

#include "core/base/random.h"
#include "real/cpu/layers/elements.h"
#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

/// Over the input where nothing else needs it.
dnnl::memory output_like_input(const Site& site) {
  const dnnl::memory& input = site.inputs[0]->value;
  return site.may_overwrite_input() ? input : site.device.allocate(input.get_desc());
}

/// A function of each element by itself, as oneDNN has it.
struct Function {
  dnnl::algorithm algorithm;
  float beta = 0;
  bool backward_reads_output = true;  ///< then forward may overwrite the input; else it reads that
};

constexpr Function kRelu{dnnl::algorithm::eltwise_relu_use_dst_for_bwd};
constexpr Function kRelu6{dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd, 6};  // from 0 to beta
/// Hendrycks and Gimpel, 2016, by its approximation with tanh, as in GPT-2.
constexpr Function kGelu{dnnl::algorithm::eltwise_gelu_tanh, 0, false};

class Elementwise final : public CpuLayer {
 public:
  Elementwise(const Site& site, const Function& function)
      : device_(site.device),
        function_(function),
        is_done_before_(site.inputs[0]->is_rectified),
        input_(site.inputs[0]->value),
        value_(function.backward_reads_output ? output_like_input(site)
                                              : site.device.allocate(input_.get_desc())) {
    assert(!is_done_before_ || value_ == input_);
    site.output.value = value_;
    description_ = onednn::describe_eltwise(device_.engine(), function_.algorithm,
                                            input_.get_desc(), kAlpha, function_.beta);
    forward_ = dnnl::eltwise_forward(description_);
  }

  void forward(const Pass&) override {
    if (is_done_before_) return;
    device_.run(forward_, {{DNNL_ARG_SRC, input_}, {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient_in_place(0);
    backward_ = dnnl::eltwise_backward(
        onednn::describe_eltwise_backward(device_.engine(), function_.algorithm, read().get_desc(),
                                          kAlpha, function_.beta, description_));
  }

  void backward() override {
    device_.run(backward_, {{function_.backward_reads_output ? DNNL_ARG_DST : DNNL_ARG_SRC, read()},
                            {DNNL_ARG_DIFF_DST, output_gradient_},
                            {DNNL_ARG_DIFF_SRC, input_gradient_.from()}});
    input_gradient_.run();
  }

 private:
  static constexpr float kAlpha = 0;  ///< slope of relu below 0, lower end of relu6

  /// By backward.
  const dnnl::memory& read() const { return function_.backward_reads_output ? value_ : input_; }

  Device& device_;
  Function function_;
  bool is_done_before_;  ///< forward, by the layer before
  dnnl::memory input_, value_, output_gradient_;
  dnnl::eltwise_forward::primitive_desc description_;
  dnnl::eltwise_forward forward_;
  dnnl::eltwise_backward backward_;
  Relayout input_gradient_;
};

/// Dropout (Srivastava et al., JMLR 2014), scaled while training. Element i, in plain order, is
/// kept where the i-th number of stream `layer` of the pass's seed is at least the probability: the
/// same on every machine, whatever the layout and the threads.
class Dropout final : public CpuLayer {
 public:
  explicit Dropout(const Site& site)
      : index_(site.index),
        probability_(static_cast<float>(site.layer.options.probability)),
        input_(site.inputs[0]->value),
        value_(output_like_input(site)),
        mask_(site.device.allocate(site.plain(site.layer.output))),
        laid_out_mask_(site.device, mask_, mask_) {
    site.output.value = value_;
    if (input_.get_desc() != mask_.get_desc()) {
      laid_out_mask_ = {site.device, mask_, site.device.allocate(input_.get_desc())};
    }
  }

  void forward(const Pass& pass) override {
    if (pass.mode == Mode::kEvaluation) {
      if (input_ != value_) elements(value_) = elements(input_);
      return;
    }
    draw(pass.dropout_seed);
    elements(value_) = elements(input_) * elements(laid_out_mask_.to());
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient_in_place(0);
  }

  void backward() override {
    elements(input_gradient_.from()) = elements(output_gradient_) * elements(laid_out_mask_.to());
    input_gradient_.run();
  }

 private:
  void draw(std::uint64_t seed) {
    RandomStream random(seed, static_cast<std::uint64_t>(index_));
    const float kept = 1 / (1 - probability_);
    for (float& factor : elements(mask_)) factor = random.uniform() < probability_ ? 0 : kept;
    laid_out_mask_.run();
  }

  int index_;
  float probability_;
  dnnl::memory input_, value_, mask_, output_gradient_;
  Relayout laid_out_mask_, input_gradient_;
};

}  // namespace

CpuLayerPointer make_relu(const Site& site) {
  return std::make_unique<Elementwise>(site, site.layer.kind == LayerKind::kRelu6 ? kRelu6 : kRelu);
}

CpuLayerPointer make_gelu(const Site& site) {
  return std::make_unique<Elementwise>(site, kGelu);
}

CpuLayerPointer make_dropout(const Site& site) {
  return std::make_unique<Dropout>(site);
}

}  // namespace tandem
