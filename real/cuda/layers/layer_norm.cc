#include "real/cuda/layers/channel_sums.h"

namespace tandem::cuda {
namespace {

class LayerNormLayer final : public CudaLayer {
 public:
  explicit LayerNormLayer(const Site& site)
      : engine_(site.engine),
        rows_(site.batch_size * rows_of(site.layer.output).count),
        features_(rows_of(site.layer.output).features),
        epsilon_(static_cast<float>(site.layer.options.epsilon)),
        gradient_scale_(site.gradient_scale),
        input_(site),
        scale_(site.parameter(0)),
        shift_(site.parameter(1)),
        mean_(by_row(site)),
        inverse_deviation_(by_row(site)) {
    value_ = site.allocate(site.layer.output);
    value_.geometry = value_.geometry.plain();
    site.output.value = value_;
  }

  void forward(const Pass&) override {
    input_.run(engine_);
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      launch_groups(engine_, rows_,
                    LayerNorm<T>{input_.tensor().as<T>(), value_.as<T>(), features_, epsilon_,
                                 scale_, shift_, mean_, inverse_deviation_});
    });
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    scale_gradient_ = site.parameter_gradient(0);
    shift_gradient_ = site.parameter_gradient(1);
    sums_ = ChannelSums(site.memory, ChannelSums::columns(rows_, features_));
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = PlainGradient(site);
  }

  void backward() override {
    with_type(value_.dtype, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      const T* input = input_.tensor().as<T>();
      const T* gradient = output_gradient_.as<T>();
      sums_.add_up(engine_,
                   LayerNormTerms<T>{input, gradient, features_, mean_, inverse_deviation_});
      sums_.leave(engine_, shift_gradient_, scale_gradient_, 1 / gradient_scale_);
      if (!passes_on_) return;
      launch_groups(
          engine_, rows_,
          LayerNormBackward<T>{input, gradient, input_gradient_.tensor().as<T>(), features_, scale_,
                               mean_, inverse_deviation_, input_gradient_.adds()});
      input_gradient_.run(engine_);
    });
  }

 private:
  float* by_row(const Site& site) const {
    return reinterpret_cast<float*>(site.memory.allocate(std::size_t(rows_) * sizeof(float)));
  }

  Engine& engine_;
  int rows_, features_;
  float epsilon_, gradient_scale_;
  PlainInput input_;
  const float* scale_;
  const float* shift_;
  float* mean_;
  float* inverse_deviation_;
  Tensor value_;

  bool passes_on_ = false;
  Tensor output_gradient_;
  float* scale_gradient_ = nullptr;
  float* shift_gradient_ = nullptr;
  ChannelSums sums_;
  PlainGradient input_gradient_;
};

}  // namespace

CudaLayerPointer make_layer_norm(const Site& site) {
  return std::make_unique<LayerNormLayer>(site);
}

}  // namespace tandem::cuda
