#pragma once

#include <algorithm>
#include <vector>

namespace tandem::mpi {

/// The middle value, the upper one of two; requires at least one.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tandem::mpi
