#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// What results warn of, each told once for all points that it holds for: of a prediction beside
/// it, of a measurement, where something went wrong, on standard error.
class Warnings {
 public:
  void add(std::size_t point, const PointResult& result);  ///< points count from 0, in any order
  void print(std::size_t point_count) const;

 private:
  std::map<std::string, std::vector<std::size_t>> predicted_, measured_;  ///< points by warning
};

}  // namespace tandem
