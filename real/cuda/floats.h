#pragma once

#include <cstddef>

namespace tandem::cuda {

/// The numbers in memory that holds float32. Kernels and products take what they only read as what
/// they could write to.
inline float* floats(const std::byte* data) {
  return reinterpret_cast<float*>(const_cast<std::byte*>(data));
}

}  // namespace tandem::cuda
