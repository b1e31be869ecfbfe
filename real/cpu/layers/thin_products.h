#pragma once

#include <cstddef>

namespace tandem::thin {

/// Products of a large row-major matrix `weights`, {outputs, inputs}, with a few rows, as linear
/// layers with small batches need them. What they take is the time to read the weights once: a
/// general product of matrices copies them first. Each result is formed by one thread in one order.
struct Shape {
  std::size_t rows, inputs, outputs;
};

/// Whether this processor and shape have them, and they are faster than a general product.
bool has_products(const Shape& shape);

/// destination[row][output] = bias[output] + sum over inputs of source * weights; `bias` may be
/// null.
void multiply(const Shape& shape, const float* source, const float* weights, const float* bias,
              float* destination);

/// weight_gradient[output][input] = sum over rows of destination_gradient * source, and of
/// destination_gradient alone; `bias_gradient` may be null.
void multiply_rows(const Shape& shape, const float* source, const float* destination_gradient,
                   float* weight_gradient, float* bias_gradient);

}  // namespace tandem::thin
