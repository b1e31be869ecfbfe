#pragma once

#include <iterator>
#include <map>

namespace tandem {

/// The value at `x` of straight lines between `points`, of which there is one at least; beyond
/// them that of the nearest.
template <typename X>
double interpolate(const std::map<X, double>& points, X x) {
  const auto above = points.lower_bound(x);
  if (above == points.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == points.end()) return below->second;
  const double share = double(x - below->first) / double(above->first - below->first);
  return below->second + share * (above->second - below->second);
}

}  // namespace tandem
