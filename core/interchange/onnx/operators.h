#pragma once

#include <string>
#include <vector>

#include "core/interchange/onnx/translation.h"

namespace tandem::onnx {

using Operator = void (*)(Translation&, const Node&);

/// What makes a layer, or none, of a node with this operator; null where tandem has nothing like
/// it.
Operator find_operator(std::string_view name);

/// All that find_operator() knows, sorted.
std::vector<std::string> operator_names();

}  // namespace tandem::onnx
