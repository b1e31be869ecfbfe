#include <fmt/format.h>

#include <array>

#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {
namespace {

/// Convolutions in each of the five blocks, which double the channels until 512.
using Blocks = std::array<int, 5>;

LayerGraph vgg(const Target& target, const Blocks& convolutions) {
  Builder net(target.name, target.input);
  constexpr Blocks kChannels = {64, 128, 256, 512, 512};
  for (std::size_t block = 0; block < convolutions.size(); ++block) {
    for (int i = 1; i <= convolutions[block]; ++i) {
      net.convolution(fmt::format("conv{}_{}", block + 1, i), kChannels[block], Window(3, 1, 1));
      net.relu(fmt::format("relu{}_{}", block + 1, i));
    }
    net.max_pool(fmt::format("pool{}", block + 1), Window(2, 2));
  }
  net.linear("fc6", 4096);
  net.relu("relu6");
  net.dropout("drop6", 0.5);
  net.linear("fc7", 4096);
  net.relu("relu7");
  net.dropout("drop7", 0.5);
  net.linear("fc8", target.classes);
  return net.finish();
}

}  // namespace

LayerGraph vgg16(const Target& target) {
  return vgg(target, {2, 2, 3, 3, 3});
}

LayerGraph vgg19(const Target& target) {
  return vgg(target, {2, 2, 4, 4, 4});
}

}  // namespace tandem::zoo
