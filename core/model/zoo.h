#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/layer_graph.h"
#include "core/model/transformer_shape.h"

namespace tandem {

/// Overrides of a zoo model's own input and number of classes, such as resnet50 on 1x28x28 images
/// of 10 classes.
struct ModelShape {
  std::optional<Shape> input;
  std::optional<int> classes;
  TransformerShape transformer = {};  ///< of a transformer, which has neither of the others
};

/// Builds a model of the zoo by name. Throws InputError naming the nearest model where there is
/// none of that name, or where the input is too small for it.
LayerGraph build_model(const std::string& name, const ModelShape& shape = {});

/// Whether a model of the zoo is made for a TransformerShape.
bool is_transformer(const std::string& name);

/// All names that build_model() knows, sorted.
std::vector<std::string> model_names();

/// Fills a parameter arena for `graph`: the same numbers for the same seed, on every rank.
void initialize_parameters(const LayerGraph& graph, std::uint64_t seed,
                           std::span<float> parameters);
/// The same for the parameters of layers [first, last] only.
void initialize_layers(const LayerGraph& graph, std::uint64_t seed, int first, int last,
                       std::span<float> parameters);

}  // namespace tandem
