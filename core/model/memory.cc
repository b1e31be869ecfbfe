#include "core/model/memory.h"

#include <algorithm>

#include "core/model/layer_costs.h"

namespace tandem {
namespace {

bool is_read_once(const LayerGraph& graph, int layer) {
  return boost::out_degree(static_cast<std::size_t>(layer), graph.dag()) == 1;
}

/// Whether backward of a layer of this kind reads what it put out.
bool needs_own_output(LayerKind kind) {
  return kind == LayerKind::kRelu || kind == LayerKind::kRelu6 || kind == LayerKind::kDropout ||
         kind == LayerKind::kInput;
}

/// Whether a layer's output lies in the place of its input.
bool is_in_place(const LayerGraph& graph, const Layer& layer) {
  if (layer.kind == LayerKind::kFlatten) return true;
  const bool could_be = layer.kind == LayerKind::kRelu || layer.kind == LayerKind::kRelu6 ||
                        layer.kind == LayerKind::kDropout;
  return could_be && is_read_once(graph, layer.inputs[0]) &&
         !needs_own_output(graph.layers()[layer.inputs[0]].kind);
}

/// Whether the gradient by a layer's input can be made in the place of that by its output.
bool passes_gradient_in_place(const LayerGraph& graph, const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kDropout:
    case LayerKind::kFlatten:
    case LayerKind::kBatchNorm:
    case LayerKind::kLayerNorm:
    case LayerKind::kGelu:
      return is_read_once(graph, layer.inputs[0]);
    default:
      return false;
  }
}

double output_elements(const LayerGraph& graph) {
  double elements = 0;
  for (const Layer& layer : graph.layers()) {
    if (layer.kind == LayerKind::kDropout) {  // its mask
      elements += static_cast<double>(layer.output.elements());
    }
    elements += attention_scores(layer);  // after softmax
    if (!is_in_place(graph, layer)) elements += static_cast<double>(layer.output.elements());
  }
  return elements;
}

/// A walk in the order of backward: a gradient by an output begins with the first reader that
/// contributes and ends with the layer's own backward.
double most_gradient_elements(const LayerGraph& graph) {
  const auto layers = graph.layers();
  const auto elements = [&](int layer) {
    return static_cast<double>(layers[layer].output.elements());
  };
  std::vector<bool> has_gradient(layers.size());
  double live = 0, most = 0;
  for (int i = static_cast<int>(layers.size()) - 1; i > 0; --i) {
    const bool in_place = passes_gradient_in_place(graph, layers[i]) && has_gradient[i];
    for (const int input : layers[i].inputs) {
      if (!layers[input].needs_gradient || has_gradient[input]) continue;
      has_gradient[input] = true;
      if (!in_place) live += elements(input);
    }
    most = std::max(most, live);
    const bool was_handed_on = in_place && layers[layers[i].inputs[0]].needs_gradient;
    if (has_gradient[i] && !was_handed_on) live -= elements(i);
  }
  return most;
}

}  // namespace

MemoryUse zero_model_states(double parameters, const StateBytes& bytes, int stage, int workers) {
  const auto share = [&](int sharded_from) { return stage >= sharded_from ? 1.0 / workers : 1.0; };
  return {.parameters = bytes.parameter * parameters * share(3),
          .gradients = bytes.gradient * parameters * share(2),
          .optimizer_state = bytes.optimizer * parameters * share(1)};
}

double activation_bytes(const LayerGraph& graph, int batch_size, int batches) {
  return sizeof(float) * static_cast<double>(batch_size) *
         (batches * output_elements(graph) + most_gradient_elements(graph));
}

}  // namespace tandem
