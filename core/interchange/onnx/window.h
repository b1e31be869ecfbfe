#pragma once

#include "core/interchange/onnx/translation.h"

namespace tandem::onnx {

/// Reads kernel (else that of the weights), strides and pads of a convolution or pool over `input`
/// into `options`. Fails where tandem's windows can't be so: pads that differ between two sides,
/// dilations.
void read_window(const Node& node, const Shape& input, LayerOptions& options);

/// A whole number of a node as an option: fails where it is below `least` or beyond all reason.
int read_int(const Node& node, const char* what, std::int64_t number, int least);

}  // namespace tandem::onnx
