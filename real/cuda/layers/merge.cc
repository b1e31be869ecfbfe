#include "real/cuda/layers/layer.h"

namespace tandem::cuda {
namespace {

/// The sum takes its first input's place where that is free. Its gradient is handed on as it is.
/// Where an input may join the sum, that layer writes it, rectified if it is to be.
class AddLayer final : public CudaLayer {
 public:
  explicit AddLayer(const Site& site) : engine_(site.engine) {
    for (const Activation* input : site.inputs) inputs_.push_back(input->value);
    find_joining(site);
    if (joining_ != nullptr) {
      value_ = inputs_[joining_index_];
    } else {
      value_ = site.may_overwrite_input() ? inputs_[0] : site.allocate(site.layer.output);
    }
    site.output.value = value_;
    site.output.layer = this;
  }

  bool rectify(const Bounds& bounds) override {
    if (joining_ == nullptr) return false;
    bounds_ = bounds;
    return rectifies_ = true;
  }

  void forward(const Pass&) override {
    if (joining_ != nullptr) return joining_->write_sum(inputs_[1 - joining_index_], bounds_);
    if (inputs_[0].data != value_.data) carry(engine_, inputs_[0], value_);
    for (std::size_t i = 1; i < inputs_.size(); ++i) carry(engine_, inputs_[i], value_, 1, true);
  }

  // Where the sum is rectified, its bare gradient is new memory, which after this only the joining
  // layer reads.
  void prepare_backward(const Site& site) override {
    if (rectifies_) {
      by_rectified_ = site.output.gradient;
      site.output.gradient = site.input_gradient(joining_index_).target;
      site.output.gradient_lease = site.inputs[joining_index_]->gradient_lease;
    }
    output_gradient_ = site.output.gradient;
    for (int i = 0; i < static_cast<int>(site.inputs.size()); ++i) {
      const bool is_there = rectifies_ && i == joining_index_;
      if (!site.inputs[i]->needs_gradient || is_there) continue;
      const int read_until = rectifies_ ? site.layer.inputs[joining_index_] : 0;
      input_gradients_.push_back(site.handed_on(i, read_until));
    }
  }

  void backward() override {
    if (rectifies_) joining_->rectify_gradient(by_rectified_);
    for (const auto& [target, adds] : input_gradients_) {
      if (target.data != output_gradient_.data) carry(engine_, output_gradient_, target, 1, adds);
    }
  }

 private:
  void find_joining(const Site& site) {
    if (inputs_.size() != 2 || inputs_[0].geometry != inputs_[1].geometry) return;
    if (site.inputs[0] == site.inputs[1]) return;
    for (const int i : {0, 1}) {
      const Activation& input = *site.inputs[i];
      if (input.layer == nullptr || input.readers != 1) continue;
      if (joining_ != nullptr) {
        joining_->join_with(*input.layer);
      } else if (input.layer->join_sum()) {
        joining_ = input.layer;
        joining_index_ = i;
      }
    }
  }

  Engine& engine_;
  std::vector<Tensor> inputs_;
  CudaLayer* joining_ = nullptr;  ///< the layer of an input, that writes the sum
  int joining_index_ = 0;
  Bounds bounds_;
  bool rectifies_ = false;
  Tensor value_;
  Tensor by_rectified_, output_gradient_;  ///< the gradients by the output and the bare sum
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
