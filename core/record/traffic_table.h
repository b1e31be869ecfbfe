#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/point_result.h"

namespace tandem {

/// traffic.csv: what each member of a point sent and received over time, a row for each of up to
/// 100 stretches of iterations that follow each other; of the members of a role the first
/// TraceSpec::members.
std::string traffic_csv(const std::vector<PointResult>& points);

}  // namespace tandem
