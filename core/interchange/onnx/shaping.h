#pragma once

#include "core/interchange/onnx/translation.h"

namespace tandem::onnx {

// Operators that only change how sizes are seen: of these, tandem has the flattening of a sample.

void flatten(Translation& to, const Node& node);
void reshape(Translation& to, const Node& node);
void squeeze(Translation& to, const Node& node);
void unsqueeze(Translation& to, const Node& node);
/// The sizes of a layer's output, known beforehand.
void shape(Translation& to, const Node& node);

}  // namespace tandem::onnx
