#pragma once

// What devices' networks do alike, whatever their layers are.

#include "core/model/layer.h"

namespace tandem {

/// The layer for a device's Site, by the functions of the Site's own namespace; null where it is
/// the input or the loss.
template <typename Site>
auto make_layer(const Site& site) -> decltype(make_convolution(site)) {
  switch (site.layer.kind) {
    case LayerKind::kConvolution:
      return make_convolution(site);
    case LayerKind::kLinear:
      return make_linear(site);
    case LayerKind::kBatchNorm:
      return make_batch_norm(site);
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
      return make_relu(site);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kGlobalAveragePool:
      return make_pooling(site);
    case LayerKind::kDropout:
      return make_dropout(site);
    case LayerKind::kFlatten:
      return make_flatten(site);
    case LayerKind::kAdd:
      return make_add(site);
    case LayerKind::kConcat:
      return make_concat(site);
    case LayerKind::kEmbedding:
      return make_embedding(site);
    case LayerKind::kLayerNorm:
      return make_layer_norm(site);
    case LayerKind::kGelu:
      return make_gelu(site);
    case LayerKind::kAttention:
      return make_attention(site);
    case LayerKind::kInput:
    case LayerKind::kSoftmaxLoss:
      break;
  }
  return nullptr;
}

/// Whether what reads an activation in forward may overwrite it: no one else of its `readers` does,
/// nor does the layer that made it read it once more in backward.
constexpr bool is_done_with(LayerKind made_by, int readers) {
  if (readers != 1) return false;
  switch (made_by) {
    case LayerKind::kConvolution:
    case LayerKind::kLinear:
    case LayerKind::kBatchNorm:
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kGlobalAveragePool:
    case LayerKind::kAdd:
    case LayerKind::kConcat:
    case LayerKind::kEmbedding:
    case LayerKind::kLayerNorm:
    case LayerKind::kGelu:
    case LayerKind::kAttention:
      return true;
    default:  // another name for other memory, or read again in backward
      return false;
  }
}

}  // namespace tandem
