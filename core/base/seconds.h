#pragma once

#include <limits>

namespace tandem {

/// A duration or a point in time, in seconds.
using Seconds = double;

inline constexpr Seconds kForever = std::numeric_limits<double>::infinity();

}  // namespace tandem
