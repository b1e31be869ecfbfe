#include "real/cuda/layers/channel_sums.h"

namespace tandem::cuda {
namespace {

Matrix matrix(std::byte* data, DType dtype, int rows, int columns) {
  return {.data = data, .dtype = dtype, .rows = rows, .columns = columns, .stride = columns};
}

Matrix transposed(Matrix matrix) {
  matrix.transposed = true;
  return matrix;
}

/// Weights are {outputs, features} in the arena. Activations of 16 bits are multiplied by a copy
/// that has them too; gradients by weights are float32 in any case.
class LinearLayer final : public CudaLayer {
 public:
  explicit LinearLayer(const Site& site)
      : engine_(site.engine),
        rows_(site.batch_size * rows_of(site.layer.output).count),
        features_(static_cast<int>(site.layer.parameters[0].fan_in)),
        outputs_(site.layer.options.outputs),
        dtype_(site.dtype),
        gradient_scale_(site.gradient_scale),
        input_(site),
        arena_weights_{reinterpret_cast<std::byte*>(site.parameter(0)),
                       DType::kFloat32,
                       {outputs_, features_, 1, 1, Layout::kPlain}},
        weights_(arena_weights_) {
    if (dtype_ != DType::kFloat32) {
      weights_.dtype = dtype_;
      weights_.data = site.rounded_parameter(0);
      is_rounded_here_ = weights_.data == nullptr;
      if (is_rounded_here_) weights_.data = site.memory.allocate(weights_.bytes());
    }
    if (site.layer.options.bias) bias_ = site.parameter(1);
    value_ = site.output.value = site.allocate(site.layer.output);
  }

  void forward(const Pass&) override {
    input_.run(engine_);
    const bool is_whole = dtype_ == DType::kFloat32;
    if (is_rounded_here_) carry(engine_, arena_weights_, weights_);
    engine_.multiply({.a = input(),
                      .b = transposed(weights()),
                      .to = matrix(value_.data, dtype_, rows_, outputs_),
                      .bias = is_whole ? bias_ : nullptr});
    if (is_whole || bias_ == nullptr) return;
    Tensor rows = value_;
    rows.geometry = ChannelSums::columns(rows_, outputs_);
    add_bias(engine_, rows, bias_);
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    weight_gradient_ = reinterpret_cast<std::byte*>(site.parameter_gradient(0));
    if (bias_ != nullptr) {
      bias_gradient_ = site.parameter_gradient(1);
      bias_sums_ = ChannelSums(site.memory, ChannelSums::columns(rows_, outputs_));
    }
    passes_on_ = site.inputs[0]->needs_gradient;
    if (passes_on_) input_gradient_ = PlainGradient(site);
  }

  void backward() override {
    const Matrix by_output = matrix(output_gradient_.data, dtype_, rows_, outputs_);
    engine_.multiply({.a = transposed(by_output),
                      .b = input(),
                      .to = matrix(weight_gradient_, DType::kFloat32, outputs_, features_),
                      .factor = 1 / gradient_scale_});
    if (bias_ != nullptr) sum_bias_gradient();
    if (!passes_on_) return;
    engine_.multiply({.a = by_output,
                      .b = weights(),
                      .to = matrix(input_gradient_.tensor().data, dtype_, rows_, features_),
                      .adds = input_gradient_.adds()});
    input_gradient_.run(engine_);
  }

 private:
  Matrix input() const { return matrix(input_.tensor().data, dtype_, rows_, features_); }
  Matrix weights() const { return matrix(weights_.data, dtype_, outputs_, features_); }

  void sum_bias_gradient() {
    with_type(dtype_, [&](auto* type) {
      using T = Pointee<decltype(type)>;
      bias_sums_.add_up(engine_, Value<T>{output_gradient_.as<T>()});
    });
    bias_sums_.leave(engine_, bias_gradient_, nullptr, 1 / gradient_scale_);
  }

  Engine& engine_;
  int rows_, features_, outputs_;
  DType dtype_;
  float gradient_scale_;
  PlainInput input_;
  Tensor arena_weights_, weights_, value_;
  bool is_rounded_here_ = false;  ///< from the float32 arena
  const float* bias_ = nullptr;

  bool passes_on_ = false;
  Tensor output_gradient_;
  std::byte* weight_gradient_ = nullptr;
  float* bias_gradient_ = nullptr;
  ChannelSums bias_sums_;
  PlainGradient input_gradient_;
};

}  // namespace

CudaLayerPointer make_linear(const Site& site) {
  return std::make_unique<LinearLayer>(site);
}

}  // namespace tandem::cuda
