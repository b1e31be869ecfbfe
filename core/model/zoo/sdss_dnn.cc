#include <fmt/format.h>

#include "core/model/zoo/builder.h"
#include "core/model/zoo/families.h"

namespace tandem::zoo {

LayerGraph sdss_dnn(const Target& target) {
  Builder net(target.name, target.input);
  int layer = 0;
  for (int outputs : {256, 128, 64}) {
    net.linear(fmt::format("fc{}", ++layer), outputs);
    net.relu(fmt::format("relu{}", layer));
  }
  net.linear("fc4", target.classes);
  return net.finish();
}

}  // namespace tandem::zoo
