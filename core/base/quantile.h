#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tandem {

/// The value below which `share` of some ascending values lies, linear between them; requires at
/// least one.
inline double quantile_of_sorted(const std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= values.size()) return values.back();
  return std::lerp(values[below], values[below + 1], place - static_cast<double>(below));
}

/// The same of values in any order.
inline double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return quantile_of_sorted(values, share);
}

}  // namespace tandem
