#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/layer.h"
#include "core/scenario/scenario.h"

namespace tandem::onnx {

/// A model's graph as tandem's layers; its weights stay in the file.
struct ImportedModel {
  Shape input;
  std::vector<LayerSpec> layers;  ///< by the names of their nodes; no loss
};

/// Reads an ONNX model of images or vectors. `input` is what a sample is where the file leaves it
/// open, or where it is to be another. A Softmax or LogSoftmax at the end is left out: the loss has
/// one. Throws InputError "FILE: node 'NAME' (OPERATOR): what is wrong" for what no layer of
/// tandem's does, and for files that are broken.
ImportedModel import_model(const std::filesystem::path& file,
                           const std::optional<Shape>& input = std::nullopt);

/// The same of a file's bytes; errors don't name it.
ImportedModel import_bytes(std::string_view bytes,
                           const std::optional<Shape>& input = std::nullopt);

}  // namespace tandem::onnx
