#include "core/training/network.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace tandem {

void check_trainable(const LayerGraph& graph) {
  const auto layers = graph.layers();
  if (layers.back().kind != LayerKind::kSoftmaxLoss && !graph.is_stage()) {
    throw InputError(fmt::format("model '{}' ends in layer '{}' ({}); it must end in softmax_loss",
                                 graph.name(), layers.back().name, to_string(layers.back().kind)));
  }
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    if (boost::out_degree(i, graph.dag()) > 0) continue;
    throw InputError(fmt::format("model '{}', layer '{}' ({}): no layer reads its output",
                                 graph.name(), layers[i].name, to_string(layers[i].kind)));
  }
}

}  // namespace tandem
