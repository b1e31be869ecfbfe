#pragma once

#include <algorithm>
#include <vector>

namespace tandem {

/// The middle value, the mean of the two in the middle of an even number; requires at least one.
inline double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace tandem
