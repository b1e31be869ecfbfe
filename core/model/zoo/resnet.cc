#include <fmt/format.h>

#include <array>

#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {
namespace {

/// Three convolutions beside a shortcut, which is a projection where the shape changes.
void bottleneck(Builder& net, const std::string& name, int channels, int stride) {
  const int block_input = net.last();
  const int outputs = 4 * channels;
  const bool changes_shape = stride != 1 || net.shape().channels != outputs;
  net.convolution_norm(name + ".conv1", channels, Window(1, stride));
  net.convolution_norm(name + ".conv2", channels, Window(3, 1, 1));
  net.convolution(name + ".conv3", outputs, Window(1), /*bias=*/false);
  const int residual = net.batch_norm(name + ".conv3.bn");
  int shortcut = block_input;
  if (changes_shape) {
    net.at(block_input).convolution(name + ".project", outputs, Window(1, stride), /*bias=*/false);
    shortcut = net.batch_norm(name + ".project.bn");
  }
  net.add(name + ".add", residual, shortcut);
  net.relu(name + ".relu");
}

/// Bottlenecks in each of the four stages.
using Stages = std::array<int, 4>;

LayerGraph resnet(const Target& target, const Stages& bottlenecks) {
  Builder net(target.name, target.input);
  net.convolution_norm("conv1", 64, Window(7, 2, 3));
  net.max_pool("pool1", Window(3, 2, 1));
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < bottlenecks[stage]; ++i) {
      const int stride = stage > 0 && i == 0 ? 2 : 1;
      bottleneck(net, fmt::format("conv{}_{}", stage + 2, i + 1), 64 << stage, stride);
    }
  }
  net.simple("pool5", LayerKind::kGlobalAveragePool);
  net.linear("fc", target.classes);
  return net.finish();
}

}  // namespace

LayerGraph resnet50(const Target& target) {
  return resnet(target, {3, 4, 6, 3});
}

LayerGraph resnet152(const Target& target) {
  return resnet(target, {3, 8, 36, 3});
}

}  // namespace tandem::zoo
