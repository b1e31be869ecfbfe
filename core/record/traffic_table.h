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

  /// In their first `iterations`; nothing where some of those are recorded nowhere.
  std::optional<std::uint64_t> until(int iterations) const;

 private:
  bool is_known_;
  std::vector<std::uint64_t> sums_;  ///< by how many iterations, from 0
};

}  // namespace tandem
