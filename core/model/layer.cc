#include "core/model/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem {
namespace {

constexpr std::array kKinds = {
    LayerKind::kInput,     LayerKind::kConvolution, LayerKind::kLinear,
    LayerKind::kBatchNorm, LayerKind::kRelu,        LayerKind::kRelu6,
    LayerKind::kMaxPool,   LayerKind::kAveragePool, LayerKind::kGlobalAveragePool,
    LayerKind::kDropout,   LayerKind::kFlatten,     LayerKind::kAdd,
    LayerKind::kConcat,    LayerKind::kEmbedding,   LayerKind::kLayerNorm,
    LayerKind::kGelu,      LayerKind::kAttention,   LayerKind::kSoftmaxLoss,
};

}  // namespace

const char* to_string(LayerKind kind) {
  switch (kind) {
    case LayerKind::kInput:
      return "input";
    case LayerKind::kConvolution:
      return "convolution";
    case LayerKind::kLinear:
      return "linear";
    case LayerKind::kBatchNorm:
      return "batch_norm";
    case LayerKind::kRelu:
      return "relu";
    case LayerKind::kRelu6:
      return "relu6";
    case LayerKind::kMaxPool:
      return "max_pool";
    case LayerKind::kAveragePool:
      return "average_pool";
    case LayerKind::kGlobalAveragePool:
      return "global_average_pool";
    case LayerKind::kDropout:
      return "dropout";
    case LayerKind::kFlatten:
      return "flatten";
    case LayerKind::kAdd:
      return "add";
    case LayerKind::kConcat:
      return "concat";
    case LayerKind::kEmbedding:
      return "embedding";
    case LayerKind::kLayerNorm:
      return "layer_norm";
    case LayerKind::kGelu:
      return "gelu";
    case LayerKind::kAttention:
      return "attention";
    case LayerKind::kSoftmaxLoss:
      return "softmax_loss";
  }
  return "?";
}

std::optional<LayerKind> parse_layer_kind(const std::string& name) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(),
                                   [&](LayerKind kind) { return name == to_string(kind); });
  if (found == kKinds.end()) return std::nullopt;
  return *found;
}

std::vector<std::string> layer_kind_names() {
  std::vector<std::string> names;
  for (LayerKind kind : kKinds) names.emplace_back(to_string(kind));
  std::sort(names.begin(), names.end());
  return names;
}

std::string to_string(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
}

}  // namespace tandem
