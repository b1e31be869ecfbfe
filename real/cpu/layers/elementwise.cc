#include <Eigen/Core>
#include <algorithm>

#include "core/base/random.h"
#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

/// Over the input where nothing else needs it.
dnnl::memory output_like_input(const Site& site) {
  const dnnl::memory& input = site.inputs[0]->value;
  return site.may_overwrite_input() ? input : site.device.allocate(input.get_desc());
}

/// relu and relu6; backward reads the output, so forward may overwrite the input.
class Relu final : public CpuLayer {
 public:
  explicit Relu(const Site& site)
      : device_(site.device),
        is_clipped_(site.layer.kind == LayerKind::kRelu6),
        input_(site.inputs[0]->value),
        value_(output_like_input(site)) {
    site.output.value = value_;
    description_ =
        onednn::describe_eltwise(device_.engine(), algorithm(), input_.get_desc(), kAlpha, kBeta);
    forward_ = dnnl::eltwise_forward(description_);
  }

  void forward(const Pass&) override {
    device_.run(forward_, {{DNNL_ARG_SRC, input_}, {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient_in_place(0);
    backward_ = dnnl::eltwise_backward(onednn::describe_eltwise_backward(
        device_.engine(), algorithm(), value_.get_desc(), kAlpha, kBeta, description_));
  }

  void backward() override {
    device_.run(backward_, {{DNNL_ARG_DST, value_},
                            {DNNL_ARG_DIFF_DST, output_gradient_},
                            {DNNL_ARG_DIFF_SRC, input_gradient_.from()}});
    input_gradient_.run();
  }

 private:
  static constexpr float kAlpha = 0;  ///< below 0: slope of relu, lower end of relu6
  static constexpr float kBeta = 6;   ///< upper end of relu6

  dnnl::algorithm algorithm() const {
    return is_clipped_ ? dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd
                       : dnnl::algorithm::eltwise_relu_use_dst_for_bwd;
  }

  Device& device_;
  bool is_clipped_;
  dnnl::memory input_, value_, output_gradient_;
  dnnl::eltwise_forward::primitive_desc description_;
  dnnl::eltwise_forward forward_;
  dnnl::eltwise_backward backward_;
  Relayout input_gradient_;
};

/// GELU (Hendrycks and Gimpel, 2016) by its approximation with tanh, as in GPT-2; backward reads
/// the input.
class Gelu final : public CpuLayer {
 public:
  explicit Gelu(const Site& site)
      : device_(site.device),
        input_(site.inputs[0]->value),
        value_(site.device.allocate(input_.get_desc())) {
    site.output.value = value_;
    description_ = onednn::describe_eltwise(device_.engine(), kAlgorithm, input_.get_desc(), 0, 0);
    forward_ = dnnl::eltwise_forward(description_);
  }

  void forward(const Pass&) override {
    device_.run(forward_, {{DNNL_ARG_SRC, input_}, {DNNL_ARG_DST, value_}});
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient_in_place(0);
    backward_ = dnnl::eltwise_backward(onednn::describe_eltwise_backward(
        device_.engine(), kAlgorithm, input_.get_desc(), 0, 0, description_));
  }

  void backward() override {
    device_.run(backward_, {{DNNL_ARG_SRC, input_},
                            {DNNL_ARG_DIFF_DST, output_gradient_},
                            {DNNL_ARG_DIFF_SRC, input_gradient_.from()}});
    input_gradient_.run();
  }

 private:
  static constexpr auto kAlgorithm = dnnl::algorithm::eltwise_gelu_tanh;

  Device& device_;
  dnnl::memory input_, value_, output_gradient_;
  dnnl::eltwise_forward::primitive_desc description_;
  dnnl::eltwise_forward forward_;
  dnnl::eltwise_backward backward_;
  Relayout input_gradient_;
};

using Array = Eigen::Map<Eigen::ArrayXf>;

/// All elements of a tensor, those that a blocked layout pads with included.
Array elements(const dnnl::memory& memory) {
  return {static_cast<float*>(memory.get_data_handle()),
          static_cast<Eigen::Index>(memory.get_desc().get_size() / sizeof(float))};
}

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
  return std::make_unique<Relu>(site);
}

CpuLayerPointer make_gelu(const Site& site) {
  return std::make_unique<Gelu>(site);
}

CpuLayerPointer make_dropout(const Site& site) {
  return std::make_unique<Dropout>(site);
}

}  // namespace tandem
