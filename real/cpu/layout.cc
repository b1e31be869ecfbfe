#include "real/cpu/layout.h"

namespace tandem {
namespace {

constexpr int kChannelBlock = 16;
constexpr double kMostFilledUp = 1.25;  // work in blocks by work

double filled_up(int channels) {
  return double((channels + kChannelBlock - 1) / kChannelBlock * kChannelBlock) / channels;
}

}  // namespace

// The first convolution reads images, whose few channels are in no blocks.
bool channels_go_last(const LayerGraph& graph) {
  double work = 0, work_in_blocks = 0;
  for (const Layer& layer : graph.layers()) {
    if (layer.kind != LayerKind::kConvolution || layer.options.groups > 1) continue;
    const Layer& input = graph.layers()[layer.inputs.front()];
    const double of_input = input.kind == LayerKind::kInput ? 1 : filled_up(input.output.channels);
    work += layer.forward_flops;
    work_in_blocks += layer.forward_flops * of_input * filled_up(layer.options.outputs);
  }
  return work_in_blocks > kMostFilledUp * work;
}

}  // namespace tandem
