#pragma once

#include <string_view>

#include "core/interchange/onnx/graph.h"

namespace tandem::onnx {

/// Reads the graph of a model from a file's bytes, which it refers into. Throws InputError.
Graph read_model(std::string_view bytes);

}  // namespace tandem::onnx
