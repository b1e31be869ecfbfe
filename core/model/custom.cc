#include "core/model/custom.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/model/zoo.h"

namespace tandem {
namespace {

int find_layer(const LayerGraph& graph, const LayerSpec& reader, const std::string& name) {
  const auto layers = graph.layers();
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  if (found != layers.end()) return static_cast<int>(found - layers.begin());
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.push_back(layer.name);
  throw InputError(fmt::format("model '{}', layer '{}': no layer before it is called '{}'; {}",
                               graph.name(), reader.name, name, hint(name, names)));
}

std::vector<int> resolve_inputs(const LayerGraph& graph, const LayerSpec& layer) {
  if (layer.inputs.empty()) return {static_cast<int>(graph.layers().size()) - 1};
  std::vector<int> indices;
  for (const std::string& input : layer.inputs) indices.push_back(find_layer(graph, layer, input));
  return indices;
}

void check_classes(const LayerGraph& graph, const ModelSpec& spec) {
  if (!spec.classes || *spec.classes == graph.classes()) return;
  throw InputError(
      fmt::format("model '{}': its last layer has {} outputs, but classes is {}; they "
                  "must be equal",
                  spec.name, graph.classes(), *spec.classes));
}

}  // namespace

LayerGraph build_custom_model(const std::string& name, Shape input,
                              const std::vector<LayerSpec>& layers) {
  if (layers.empty()) throw InputError(fmt::format("model '{}' has no layers", name));
  LayerGraph graph(name, input);
  for (const LayerSpec& layer : layers) {
    graph.add(layer.name, layer.kind, layer.options, resolve_inputs(graph, layer));
  }
  if (layers.back().kind != LayerKind::kSoftmaxLoss) {
    graph.add("loss", LayerKind::kSoftmaxLoss, {}, {static_cast<int>(layers.size())});
  }
  return graph;
}

LayerGraph build_model(const ModelSpec& spec) {
  if (spec.layers.empty()) {
    return build_model(spec.name, ModelShape{spec.input, spec.classes, spec.transformer});
  }
  if (!spec.input) {
    throw InputError(
        fmt::format("model '{}' has layers of its own but no input; set model.input to "
                    "channels, height and width",
                    spec.name));
  }
  LayerGraph graph = build_custom_model(spec.name, *spec.input, spec.layers);
  check_classes(graph, spec);
  return graph;
}

}  // namespace tandem
