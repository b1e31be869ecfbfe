#include "tests/real/cpu/reference_networks.h"

namespace tandem {
namespace {

LayerOptions convolution(int outputs, int kernel, int stride, int padding, int groups, bool bias) {
  return {.outputs = outputs,
          .kernel_height = kernel,
          .kernel_width = kernel,
          .stride_height = stride,
          .stride_width = stride,
          .padding_height = padding,
          .padding_width = padding,
          .groups = groups,
          .bias = bias};
}

LayerOptions pool(int kernel, int stride, int padding) {
  return convolution(0, kernel, stride, padding, 1, true);
}

}  // namespace

LayerGraph mixed_network() {
  using enum LayerKind;
  LayerGraph net("mixed", {3, 12, 12});
  int last = net.add("stem", kConvolution, convolution(16, 3, 1, 1, 1, false), {0});
  last = net.add("stem_norm", kBatchNorm, {}, {last});
  last = net.add("stem_relu", kRelu, {}, {last});
  last = net.add("depthwise", kConvolution, convolution(16, 3, 2, 1, 16, false), {last});
  last = net.add("depthwise_norm", kBatchNorm, {}, {last});
  const int trunk = net.add("depthwise_relu6", kRelu6, {}, {last});
  last = net.add("residual", kConvolution, convolution(16, 3, 1, 1, 1, true), {trunk});
  const int sum = net.add("sum", kAdd, {}, {last, trunk});
  const int side = net.add("side", kConvolution, convolution(10, 1, 1, 0, 1, true), {trunk});
  last = net.add("joined", kConcat, {}, {side, sum});
  last = net.add("average", kAveragePool, pool(2, 1, 1), {last});
  last = net.add("maximum", kMaxPool, pool(3, 2, 1), {last});
  last = net.add("grouped", kConvolution, convolution(8, 3, 1, 1, 2, true), {last});
  last = net.add("grouped_relu", kRelu, {}, {last});
  last = net.add("pooled", kGlobalAveragePool, {}, {last});
  last = net.add("flat", kFlatten, {}, {last});
  last = net.add("scores", kLinear, {.outputs = 5}, {last});
  net.add("loss", kSoftmaxLoss, {}, {last});
  return net;
}

}  // namespace tandem
