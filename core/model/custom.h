#pragma once

#include <string>
#include <vector>

#include "core/model/layer_graph.h"
#include "core/scenario/scenario.h"

namespace tandem {

/// Builds a user's own model from its layers in the order given. A layer reads those it names
/// ("input" is the model's input) or, where it names none, the layer before it; the loss is added
/// at the end where it is missing. Throws InputError naming the layer, and the nearest name where
/// an input is unknown.
LayerGraph build_custom_model(const std::string& name, Shape input,
                              const std::vector<LayerSpec>& layers);

/// The model that a scenario asks for: of the zoo, or made of its own layers. Throws InputError.
LayerGraph build_model(const ModelSpec& spec);

}  // namespace tandem
