#pragma once

#include <Eigen/Core>

#include "real/cpu/device.h"

namespace tandem {

/// All elements of a tensor as one array, those that a blocked layout pads with included.
inline Eigen::Map<Eigen::ArrayXf> elements(const dnnl::memory& memory) {
  const std::span<float> floats = floats_of(memory);
  return {floats.data(), static_cast<Eigen::Index>(floats.size())};
}

}  // namespace tandem
