#pragma once

#include <optional>
#include <span>

#include "core/interchange/onnx/graph.h"

namespace tandem::onnx {

/// What a node makes of tensors that are known beforehand: exporters compute the sizes of a
/// reshape so. Inputs that were left out are null. Only sizes where the numbers are not known, as
/// of weights. Nothing where the operator is none that sizes are computed with.
std::optional<Tensor> fold(const Node& node, std::span<const Tensor* const> inputs);

}  // namespace tandem::onnx
