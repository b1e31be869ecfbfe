#pragma once

#include "core/interchange/onnx/graph.h"

namespace tandem::onnx {

/// Exporters of operator sets before 20 write GELU as x / 2 (1 + erf(x / sqrt 2)) in single
/// operators. Makes the last of each such group one Gelu of x; nothing reads the others any more.
void join_gelus(Graph& graph);

}  // namespace tandem::onnx
