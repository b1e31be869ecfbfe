#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/cpu/layers/layer.h"
#include "real/cpu/layers/max_pooling.h"

namespace tandem {
namespace {

using onednn::Desc;
using onednn::PoolWindow;

/// How far the last of `positions` windows reaches past the input; negative where it ends before.
/// With ceil_mode it may reach past the padding, which counts as padding then.
int padding_after(int input, int positions, int kernel, int stride, int padding_before) {
  return (positions - 1) * stride + kernel - input - padding_before;
}

PoolWindow window(const Layer& layer, const onednn::Dims& input) {
  const int height = static_cast<int>(input[2]), width = static_cast<int>(input[3]);
  if (layer.kind == LayerKind::kGlobalAveragePool) {
    return {{height, width}, {1, 1}, {0, 0}, {0, 0}};
  }
  const LayerOptions& o = layer.options;
  return {
      {o.kernel_height, o.kernel_width},
      {o.stride_height, o.stride_width},
      {o.padding_height, o.padding_width},
      {padding_after(height, layer.output.height, o.kernel_height, o.stride_height,
                     o.padding_height),
       padding_after(width, layer.output.width, o.kernel_width, o.stride_width, o.padding_width)}};
}

dnnl::algorithm algorithm(const Layer& layer) {
  if (layer.kind == LayerKind::kMaxPool) return dnnl::algorithm::pooling_max;
  const bool counts = layer.kind == LayerKind::kAveragePool && layer.options.count_padding;
  return counts ? dnnl::algorithm::pooling_avg_include_padding
                : dnnl::algorithm::pooling_avg_exclude_padding;
}

dnnl::pooling_forward::primitive_desc describe(const Site& site) {
  const Desc source = site.inputs[0]->value.get_desc();
  const Shape& shape = site.layer.output;
  const Desc any({site.batch_size, shape.channels, shape.height, shape.width},
                 dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
  return onednn::describe_pooling(site.device.engine(), algorithm(site.layer), source, any,
                                  window(site.layer, onednn::dims_of(source)));
}

class Pooling final : public CpuLayer {
 public:
  Pooling(const Site& site, dnnl::pooling_forward::primitive_desc description)
      : device_(site.device),
        input_(site.inputs[0]->value),
        window_(window(site.layer, onednn::dims_of(input_.get_desc()))),
        description_(std::move(description)) {
    value_ = site.output.value = device_.allocate(description_.dst_desc());
    if (site.layer.kind == LayerKind::kMaxPool) {  // where each maximum was
      workspace_ = device_.allocate(description_.workspace_desc());
    }
    forward_ = dnnl::pooling_forward(description_);
  }

  void forward(const Pass&) override {
    device_.run(forward_,
                {{DNNL_ARG_SRC, input_}, {DNNL_ARG_DST, value_}, {DNNL_ARG_WORKSPACE, workspace_}});
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0, input_.get_desc());
    backward_ = dnnl::pooling_backward(onednn::describe_pooling_backward(
        device_.engine(), algorithm(site.layer), input_.get_desc(), value_.get_desc(), window_,
        description_));
  }

  void backward() override {
    device_.run(backward_, {{DNNL_ARG_DIFF_DST, output_gradient_},
                            {DNNL_ARG_DIFF_SRC, input_gradient_.from()},
                            {DNNL_ARG_WORKSPACE, workspace_}});
    input_gradient_.run();
  }

 private:
  Device& device_;
  dnnl::memory input_;
  PoolWindow window_;
  dnnl::memory value_, workspace_, output_gradient_;
  dnnl::pooling_forward::primitive_desc description_;
  dnnl::pooling_forward forward_;
  dnnl::pooling_backward backward_;
  Relayout input_gradient_;
};

/// By the kernel of our own.
class OwnMaxPooling final : public CpuLayer {
 public:
  OwnMaxPooling(const Site& site, const MaxPooling& pool, const Desc& output)
      : pool_(pool), input_(site.inputs[0]->value) {
    value_ = site.output.value = site.device.allocate(output);
    places_.resize(floats_of(value_).size());
  }

  void forward(const Pass&) override {
    pool_.forward(floats_of(input_).data(), floats_of(value_).data(), places_.data());
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = in_layout(site.device, site.output.gradient, value_.get_desc());
    input_gradient_ = site.input_gradient(0, input_.get_desc());
  }

  void backward() override {
    output_gradient_.run();
    pool_.backward(floats_of(output_gradient_.to()).data(), places_.data(),
                   floats_of(input_gradient_.from()).data());
    input_gradient_.run();
  }

 private:
  MaxPooling pool_;
  dnnl::memory input_, value_;
  std::vector<std::uint8_t> places_;
  Relayout output_gradient_, input_gradient_;
};

struct Layout {
  dnnl::memory::format_tag tag;
  int block;  ///< channels beside each other; 0: all
};

/// Where the kernel of our own can take the place of what oneDNN chose, and is faster.
std::optional<MaxPooling> own_max_pooling(
    const Site& site, const dnnl::pooling_forward::primitive_desc& description) {
  const LayerOptions& o = site.layer.options;
  const bool is_slow = std::string(description.impl_info_str()).find("avx512") == std::string::npos;
  if (site.layer.kind != LayerKind::kMaxPool || !is_slow ||
      o.kernel_height * o.kernel_width > MaxPooling::kMostPlaces) {
    return std::nullopt;
  }
  using enum dnnl::memory::format_tag;
  const auto lies = [](const Desc& desc, dnnl::memory::format_tag tag) {
    return desc == Desc(onednn::dims_of(desc), dnnl::memory::data_type::f32, tag);
  };
  const Desc source = site.inputs[0]->value.get_desc(), destination = description.dst_desc();
  const onednn::Dims dims = onednn::dims_of(source);
  const int samples = static_cast<int>(dims[0]), channels = static_cast<int>(dims[1]);
  for (const Layout& layout : {Layout{nhwc, 0}, {nChw8c, 8}, {nChw16c, 16}}) {
    if (!lies(source, layout.tag) || !lies(destination, layout.tag)) continue;
    const int lanes = layout.block == 0 ? channels : layout.block;
    return MaxPooling{.images = samples * ((channels + lanes - 1) / lanes),
                      .lanes = lanes,
                      .source = {channels, static_cast<int>(dims[2]), static_cast<int>(dims[3])},
                      .output = site.layer.output,
                      .window = o};
  }
  return std::nullopt;
}

}  // namespace

CpuLayerPointer make_pooling(const Site& site) {
  dnnl::pooling_forward::primitive_desc description = describe(site);
  if (const auto own = own_max_pooling(site, description))
    return std::make_unique<OwnMaxPooling>(site, *own, description.dst_desc());
  return std::make_unique<Pooling>(site, std::move(description));
}

}  // namespace tandem
