#include "real/cpu/layers/layer.h"

namespace tandem {
namespace {

using onednn::Desc;
using onednn::Dims;

constexpr int kChannelAxis = 1;

std::vector<Desc> layouts(const Site& site) {
  std::vector<Desc> descs;
  for (const Activation* input : site.inputs) descs.push_back(input->value.get_desc());
  return descs;
}

/// Sources and destination of a primitive that reads many.
std::unordered_map<int, dnnl::memory> many_to_one(const Site& site, const dnnl::memory& value) {
  std::unordered_map<int, dnnl::memory> arguments = {{DNNL_ARG_DST, value}};
  for (std::size_t i = 0; i < site.inputs.size(); ++i) {
    arguments.emplace(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), site.inputs[i]->value);
  }
  return arguments;
}

class Merge : public CpuLayer {
 public:
  void forward(const Pass&) override { device_.run(forward_, arguments_); }
  void backward() override {
    for (const Relayout& gradient : input_gradients_) gradient.run();
  }

 protected:
  explicit Merge(const Site& site) : device_(site.device) {}

  Device& device_;
  dnnl::primitive forward_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<Relayout> input_gradients_;
};

/// The sum takes its first input's layout, and its place where that is free. Its gradient is handed
/// on as it is.
class Add final : public Merge {
 public:
  explicit Add(const Site& site) : Merge(site) {
    const dnnl::memory& first = site.inputs[0]->value;
    if (site.may_overwrite_input()) {
      site.output.value = first;
      for (std::size_t i = 1; i < site.inputs.size(); ++i) {
        additions_.emplace_back(device_, site.inputs[i]->value, first, /*adds=*/true);
      }
      return;
    }
    const Desc layout = first.get_desc();
    site.output.value = device_.allocate(layout);
    forward_ = dnnl::sum(onednn::describe_sum(device_.engine(), layout, layouts(site)));
    arguments_ = many_to_one(site, site.output.value);
  }

  void forward(const Pass& pass) override {
    if (additions_.empty()) return Merge::forward(pass);
    for (const Relayout& addition : additions_) addition.run();
  }

  void prepare_backward(const Site& site) override {
    for (std::size_t i = 0; i < site.inputs.size(); ++i) {
      if (!site.inputs[i]->needs_gradient) continue;
      input_gradients_.push_back(site.input_gradient_from(static_cast<int>(i), site.output.gradient,
                                                          site.output.gradient_lease));
    }
  }

 private:
  std::vector<Relayout> additions_;
};

class Concat final : public Merge {
 public:
  explicit Concat(const Site& site) : Merge(site) {
    auto description =
        onednn::describe_concat(device_.engine(), nullptr, kChannelAxis, layouts(site));
    if (!can_be_cut(site, description.dst_desc())) {
      const Desc plain = site.plain(site.layer.output);
      description = onednn::describe_concat(device_.engine(), &plain, kChannelAxis, layouts(site));
    }
    site.output.value = device_.allocate(description.dst_desc());
    forward_ = dnnl::concat(description);
    arguments_ = many_to_one(site, site.output.value);
  }

  void prepare_backward(const Site& site) override {
    const std::vector<Desc> parts = cut(site, site.output.gradient.get_desc());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!site.inputs[i]->needs_gradient) continue;
      const dnnl::memory part = device_.refer(parts[i], site.output.gradient.get_data_handle());
      input_gradients_.push_back(site.input_gradient_from(static_cast<int>(i), part, nullptr));
    }
  }

 private:
  /// The inputs' parts of a whole; an empty Desc for one that begins or ends within a block of the
  /// layout.
  static std::vector<Desc> cut(const Site& site, const Desc& whole) {
    std::vector<Desc> parts;
    Dims offset(4, 0);
    for (const Activation* input : site.inputs) {
      const Dims dims = onednn::dims_of(input->value.get_desc());
      parts.push_back(whole.submemory_desc(dims, offset, /*allow_empty=*/true));
      offset[kChannelAxis] += dims[kChannelAxis];
    }
    return parts;
  }

  static bool can_be_cut(const Site& site, const Desc& whole) {
    for (const Desc& part : cut(site, whole)) {
      if (!part) return false;
    }
    return true;
  }
};

/// {batch, features, 1, 1} over the plain elements of the input: the same memory where the input is
/// plain.
class Flatten final : public CpuLayer {
 public:
  explicit Flatten(const Site& site) {
    const dnnl::memory& input = site.inputs[0]->value;
    plain_input_ = onednn::plain_like(input.get_desc());
    const bool is_plain = input.get_desc() == plain_input_;
    unfolded_ = is_plain ? input : site.device.allocate(plain_input_);
    to_plain_ = {site.device, input, unfolded_};
    site.output.value =
        site.device.refer(site.plain(site.layer.output), unfolded_.get_data_handle());
  }

  void forward(const Pass&) override { to_plain_.run(); }

  void prepare_backward(const Site& site) override {
    const dnnl::memory gradient =
        site.device.refer(plain_input_, site.output.gradient.get_data_handle());
    input_gradient_ = site.input_gradient_from(0, gradient, site.output.gradient_lease);
  }

  void backward() override { input_gradient_.run(); }

 private:
  Desc plain_input_;
  dnnl::memory unfolded_;
  Relayout to_plain_, input_gradient_;
};

}  // namespace

CpuLayerPointer make_add(const Site& site) {
  return std::make_unique<Add>(site);
}

CpuLayerPointer make_concat(const Site& site) {
  return std::make_unique<Concat>(site);
}

CpuLayerPointer make_flatten(const Site& site) {
  return std::make_unique<Flatten>(site);
}

}  // namespace tandem
