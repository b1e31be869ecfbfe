#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/layer.h"

namespace tandem {

/// The output shape of a layer of `kind` that reads tensors of the shapes `inputs`. Throws
/// InputError where the options are impossible or don't fit the inputs; its message lacks the
/// layer's name, which the caller puts before it.
Shape infer_shape(LayerKind kind, const LayerOptions& options, std::span<const Shape> inputs);

/// The parameter tensors of such a layer, offsets counted from 0. Requires that infer_shape()
/// accepted it.
std::vector<ParameterTensor> infer_parameters(LayerKind kind, const LayerOptions& options,
                                              const Shape& input);

}  // namespace tandem
