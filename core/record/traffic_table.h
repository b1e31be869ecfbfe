#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// traffic.csv: what each member of a point sent and received over time, a row for each of up to
/// 100 stretches of iterations that follow each other; of the members of a role the first
/// TraceSpec::members.
std::string traffic_csv(const std::vector<PointResult>& points);

/// What all members of a point together have sent.
class SentBytes {
 public:
  explicit SentBytes(const PointResult& point);

  /// In the training's first `iterations`, none of which other members did.
  std::uint64_t until(int iterations) const;

 private:
  int first_ = 0;
  std::vector<std::uint64_t> sums_ = {0};  ///< by how many iterations from there
};

}  // namespace tandem
