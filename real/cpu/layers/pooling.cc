#include "real/cpu/layers/layer.h"

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
  PoolWindow window_;
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
