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

/// The kernel of our own, where oneDNN has none made for the processor and channels lie beside each
/// other.
std::optional<MaxPooling> own_max_pooling(const Site& site, const Desc& source,
                                          const std::string& chosen) {
  const LayerOptions& o = site.layer.options;
  if (site.layer.kind != LayerKind::kMaxPool || chosen.find("avx512") != std::string::npos ||
      o.kernel_height * o.kernel_width > MaxPooling::kMostPlaces) {
    return std::nullopt;
  }
  using enum dnnl::memory::format_tag;
  const onednn::Dims dims = onednn::dims_of(source);
  const int samples = static_cast<int>(dims[0]), channels = static_cast<int>(dims[1]);
  const auto lies_as = [&](dnnl::memory::format_tag tag) {
    return source == Desc(dims, dnnl::memory::data_type::f32, tag);
  };
  MaxPooling pool{.images = samples,
                  .lanes = channels,
                  .source = {channels, static_cast<int>(dims[2]), static_cast<int>(dims[3])},
                  .output = site.layer.output,
                  .window = o};
  if (lies_as(nhwc)) return pool;
  for (const auto& [tag, block] : {std::pair{nChw8c, 8}, {nChw16c, 16}}) {
    if (!lies_as(tag)) continue;
    pool.images = samples * ((channels + block - 1) / block);
    pool.lanes = block;
    return pool;
  }
  return std::nullopt;
}

class Pooling final : public CpuLayer {
 public:
  explicit Pooling(const Site& site)
      : device_(site.device),
        window_(window(site.layer, onednn::dims_of(site.inputs[0]->value.get_desc()))),
        input_(site.inputs[0]->value) {
    const Shape& shape = site.layer.output;
    const Desc any({site.batch_size, shape.channels, shape.height, shape.width},
                   dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
    description_ = onednn::describe_pooling(device_.engine(), algorithm(site.layer),
                                            input_.get_desc(), any, window_);
    value_ = site.output.value = device_.allocate(description_.dst_desc());
    own_ = own_max_pooling(site, input_.get_desc(), description_.impl_info_str());
    if (own_) {
      places_.resize(floats_of(value_).size());
    } else if (site.layer.kind == LayerKind::kMaxPool) {  // where each maximum was
      workspace_ = device_.allocate(description_.workspace_desc());
    }
    forward_ = dnnl::pooling_forward(description_);
  }

  void forward(const Pass&) override {
    if (own_) {
      own_->forward(floats_of(input_).data(), floats_of(value_).data(), places_.data());
      return;
    }
    device_.run(forward_,
                {{DNNL_ARG_SRC, input_}, {DNNL_ARG_DST, value_}, {DNNL_ARG_WORKSPACE, workspace_}});
  }

  void prepare_backward(const Site& site) override {
    output_gradient_ = site.output.gradient;
    input_gradient_ = site.input_gradient(0, input_.get_desc());
    if (own_) return;
    backward_ = dnnl::pooling_backward(onednn::describe_pooling_backward(
        device_.engine(), algorithm(site.layer), input_.get_desc(), value_.get_desc(), window_,
        description_));
  }

  void backward() override {
    if (own_) {
      own_->backward(floats_of(output_gradient_).data(), places_.data(),
                     floats_of(input_gradient_.from()).data());
    } else {
      device_.run(backward_, {{DNNL_ARG_DIFF_DST, output_gradient_},
                              {DNNL_ARG_DIFF_SRC, input_gradient_.from()},
                              {DNNL_ARG_WORKSPACE, workspace_}});
    }
    input_gradient_.run();
  }

 private:
  Device& device_;
  PoolWindow window_;
  std::optional<MaxPooling> own_;
  std::vector<std::uint8_t> places_;  ///< own_'s
  dnnl::memory input_, value_, workspace_, output_gradient_;
  dnnl::pooling_forward::primitive_desc description_;
  dnnl::pooling_forward forward_;
  dnnl::pooling_backward backward_;
  Relayout input_gradient_;
};

}  // namespace

CpuLayerPointer make_pooling(const Site& site) {
  return std::make_unique<Pooling>(site);
}

}  // namespace tandem
