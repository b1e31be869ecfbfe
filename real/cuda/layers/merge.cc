#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

/// The sum takes its first input's place where that is free. Its gradient is handed on as it is.
class AddLayer final : public CudaLayer {
 public:
  explicit AddLayer(const Site& site) : engine_(site.engine) {
    for (const Activation* input : site.inputs) inputs_.push_back(input->value);
    value_ = site.output.value =
        site.may_overwrite_input() ? inputs_[0] : site.allocate(site.layer.output);
  }

  void forward(const Pass&) override {
    if (inputs_[0].data != value_.data) carry(engine_, inputs_[0], value_);
    for (std::size_t i = 1; i < inputs_.size(); ++i) carry(engine_, inputs_[i], value_, 1, true);
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    for (std::size_t i = 0; i < site.inputs.size(); ++i) {
      if (site.inputs[i]->needs_gradient)
        input_gradients_.push_back(site.handed_on(static_cast<int>(i)));
    }
  }

  void backward() override {
    for (const auto& [target, adds] : input_gradients_) {
      if (target.data != output_gradient_.data) carry(engine_, output_gradient_, target, 1, adds);
    }
  }

 private:
  Engine& engine_;
  std::vector<Tensor> inputs_;
  Tensor value_, output_gradient_;
  std::vector<Contribution> input_gradients_;
};

/// Of channels.
class ConcatLayer final : public CudaLayer {
 public:
  explicit ConcatLayer(const Site& site)
      : engine_(site.engine), value_(site.output.value = site.allocate(site.layer.output)) {
    int channel = 0;
    for (const Activation* input : site.inputs) {
      inputs_.push_back({input->value, channel});
      channel += input->value.geometry.channels;
    }
  }

  void forward(const Pass&) override {
    for (const auto& [value, channel] : inputs_) carry_into(engine_, value, value_, channel);
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    for (std::size_t i = 0; i < site.inputs.size(); ++i) {
      if (!site.inputs[i]->needs_gradient) continue;
      input_gradients_.push_back(
          {site.input_gradient(static_cast<int>(i)), inputs_[i].first_channel});
    }
  }

  void backward() override {
    for (const auto& [gradient, channel] : input_gradients_) {
      carry_out_of(engine_, output_gradient_, channel, gradient.target, gradient.adds);
    }
  }

 private:
  struct Input {
    Tensor value;
    int first_channel;
  };
  struct InputGradient {
    Contribution gradient;
    int first_channel;
  };

  Engine& engine_;
  std::vector<Input> inputs_;
  Tensor value_, output_gradient_;
  std::vector<InputGradient> input_gradients_;
};

/// {batch, features, 1, 1} over the plain elements of the input: the same memory where the input is
/// plain.
class FlattenLayer final : public CudaLayer {
 public:
  explicit FlattenLayer(const Site& site)
      : engine_(site.engine), input_(site), folded_(site.inputs[0]->value.geometry.plain()) {
    site.output.value = input_.tensor();
    const Shape& shape = site.layer.output;
    site.output.value.geometry = {site.batch_size, shape.channels, shape.height, shape.width};
  }

  void forward(const Pass&) override { input_.run(engine_); }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    output_gradient_.geometry = folded_;
    const bool is_plain = site.inputs[0]->value.geometry.is_plain();
    input_gradient_ = is_plain ? site.handed_on(0) : site.input_gradient(0);
  }

  void backward() override {
    const auto& [target, adds] = input_gradient_;
    if (target.data != output_gradient_.data) carry(engine_, output_gradient_, target, 1, adds);
  }

 private:
  Engine& engine_;
  PlainInput input_;
  Geometry folded_;  ///< the input's
  Tensor output_gradient_;
  Contribution input_gradient_;
};

}  // namespace

CudaLayerPointer make_add(const Site& site) {
  return std::make_unique<AddLayer>(site);
}

CudaLayerPointer make_concat(const Site& site) {
  return std::make_unique<ConcatLayer>(site);
}

CudaLayerPointer make_flatten(const Site& site) {
  return std::make_unique<FlattenLayer>(site);
}

}  // namespace tandem::cuda
