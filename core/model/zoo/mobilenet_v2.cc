#include <fmt/format.h>

#include <array>

#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {
namespace {

/// A row of the paper's Table 2: `repeats` blocks, the first of which has the stride.
struct Stage {
  int expansion, outputs, repeats, stride;
};

/// Expands, filters every channel by itself, and projects; the projection is linear.
void inverted_residual(Builder& net, const std::string& name, const Stage& stage, int stride) {
  const int block_input = net.last();
  const int inputs = net.shape().channels;
  const int hidden = inputs * stage.expansion;
  if (stage.expansion != 1) {
    net.convolution_norm(name + ".expand", hidden, Window(1), LayerKind::kRelu6);
  }
  net.convolution_norm(name + ".depthwise", hidden, Window(3, stride, 1), LayerKind::kRelu6,
                       /*groups=*/hidden);
  net.convolution(name + ".project", stage.outputs, Window(1), /*bias=*/false);
  const int projected = net.batch_norm(name + ".project.bn");
  if (stride == 1 && inputs == stage.outputs) net.add(name + ".add", block_input, projected);
}

}  // namespace

LayerGraph mobilenet_v2(const Target& target) {
  constexpr std::array<Stage, 7> kStages = {{{1, 16, 1, 1},
                                             {6, 24, 2, 2},
                                             {6, 32, 3, 2},
                                             {6, 64, 4, 2},
                                             {6, 96, 3, 1},
                                             {6, 160, 3, 2},
                                             {6, 320, 1, 1}}};
  Builder net(target.name, target.input);
  net.convolution_norm("conv1", 32, Window(3, 2, 1), LayerKind::kRelu6);
  int block = 0;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      inverted_residual(net, fmt::format("block{}", ++block), stage, i == 0 ? stage.stride : 1);
    }
  }
  net.convolution_norm("conv2", 1280, Window(1), LayerKind::kRelu6);
  net.simple("pool", LayerKind::kGlobalAveragePool);
  net.dropout("drop", 0.2);
  net.linear("fc", target.classes);
  return net.finish();
}

}  // namespace tandem::zoo
